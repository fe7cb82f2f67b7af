import helmet from "@fastify/helmet"
import Fastify from "fastify"

/** The headers that helmet gives to every answer. They are always the same, so it is asked once and not per request. */
export const securityHeaders = async (): Promise<Readonly<Record<string, string>>> => {
  const probe = Fastify()
  await probe.register(helmet, { contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } } })
  probe.get("/", (_, reply) => reply.send())
  const answer = await probe.inject("/")
  await probe.close()
  const own = new Set(["content-length", "date", "connection"])
  return Object.fromEntries(Object.entries(answer.headers).flatMap(([name, value]) => own.has(name) || value === undefined ? [] : [[name, String(value)]]))
}
