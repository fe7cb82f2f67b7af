import type { FastifyReply, FastifyRequest } from "fastify"
import { type ApiError, errorBody } from "./ApiError.ts"
import { databaseUnreachable, draining } from "./errors.ts"

export const sendError = (request: FastifyRequest, reply: FastifyReply, error: ApiError) => {
  if (
    error.retryAfterSeconds !== undefined ||
    error.status === 429 ||
    error === databaseUnreachable ||
    error === draining
  )
    void reply.header("retry-after", String(error.retryAfterSeconds ?? 1))
  if (error.status === 401) void reply.header("www-authenticate", "Bearer")
  return reply
    .code(error.status)
    .header("content-type", "application/json; charset=utf-8")
    .send(JSON.stringify(errorBody(error, request.id)))
}
