import * as z from "zod"

/**
 * What every route says of itself that no client calls by itself. It is in the OpenAPI document (contract 4.10), and
 * not in the runtime reference at /docs.
 */
export const INTERNAL = { tags: ["Internal"], "x-internal": true, "x-scalar-ignore": true }

/** The answer of a page: HTML, whatever its status, or a redirect to the next page. */
export const PAGE = {
  default: {
    description: "A page for a person, or the way to the next",
    content: { "text/html": { schema: z.string() } }
  }
}
