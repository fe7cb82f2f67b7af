import type { FastifyReply } from "fastify"
import { WINDOW_SECONDS } from "#src/db/tenancy/rateLeases.ts"
import type { RateLimitState } from "#src/db/tenancy/RateLimits.ts"

const add = (reply: FastifyReply, name: string, item: string) => {
  const others = reply.getHeader(name)
  return reply.header(name, others === undefined ? item : `${String(others)}, ${item}`)
}

/**
 * Adds the caller's state under a policy to the headers: lists of structured fields
 * (draft-ietf-httpapi-ratelimit-headers-11).
 */
export const sendRateLimitHeaders = (
  reply: FastifyReply,
  { policy, quota, remaining, seconds }: RateLimitState
): void => {
  void add(reply, "ratelimit-policy", `"${policy}";q=${quota};w=${WINDOW_SECONDS}`)
  void add(reply, "ratelimit", `"${policy}";r=${remaining};t=${seconds}`)
}
