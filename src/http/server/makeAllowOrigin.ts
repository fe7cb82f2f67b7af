import type { FastifyReply, FastifyRequest } from "fastify"

/**
 * Lets the page that sends a request read the answer, if its origin is allowed. `preflight`: it is a browser's question
 * before such a request, and needs no other answer.
 */
export type AllowOrigin = (request: FastifyRequest, reply: FastifyReply) => "preflight" | undefined

/** Only the API. Pages of this server, with their cookies, are open to no other page. */
const IS_API = /^\/v1(?:[/?]|$)/

/** What a page may send. */
const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE"
const SENT = [
  "authorization",
  "content-type",
  "idempotency-key",
  "last-event-id",
  "if-none-match",
  "cache-control",
  "traceparent",
  "x-request-id",
  "x-sandbox-fault"
].join(", ")
/** What a page may read of an answer, besides what all pages may. */
const READ = [
  "x-request-id",
  "retry-after",
  "etag",
  "ratelimit",
  "ratelimit-policy",
  "content-disposition",
  "x-next-cursor",
  "www-authenticate"
].join(", ")
/** How long a browser may remember the answer to its question. */
const REMEMBERED_SECONDS = 3600

/**
 * Cross-origin resource sharing. No route of the API uses a cookie, and no answer allows a browser to send one, so a
 * page gets only what its key or token permits.
 */
export const makeAllowOrigin = (origins: ReadonlyArray<string>): AllowOrigin => {
  if (origins.length === 0) return () => undefined
  const allowed = new Set(origins)
  const isOpen = allowed.has("*")
  return (request, reply) => {
    if (!IS_API.test(request.url)) return undefined
    const { origin } = request.headers
    // Caches must not give the answer for one origin to another.
    if (!isOpen) void reply.header("vary", "Origin")
    if (!isOpen && (origin === undefined || !allowed.has(origin))) return undefined
    void reply.header("access-control-allow-origin", isOpen ? "*" : origin)
    if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined) {
      void reply.header("access-control-expose-headers", READ)
      return undefined
    }
    void reply.headers({
      "access-control-allow-methods": METHODS,
      "access-control-allow-headers": SENT,
      "access-control-max-age": String(REMEMBERED_SECONDS)
    })
    return "preflight"
  }
}
