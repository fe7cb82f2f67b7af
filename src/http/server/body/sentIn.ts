import type { FastifyRequest } from "fastify"
import { rawBody } from "./parsing.ts"
import type { Sent } from "./sayFound.ts"

/** What a caller wrote: the query before its values were converted, and the body before unknown fields were dropped. */
export const sentIn = ({ url, body, headers }: FastifyRequest): Sent => {
  const asked = new URLSearchParams(url.split("?").slice(1).join("?"))
  const query = Object.fromEntries(
    [...asked.keys()].map((name) => {
      const values = asked.getAll(name)
      return [name, values.length === 1 ? values[0] : values]
    })
  )
  return { body: rawBody(body), query, headers }
}
