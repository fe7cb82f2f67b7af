import type { FastifyReply, FastifyRequest } from "fastify"
import { countersByTwo } from "#pipeline/telemetry/metric.ts"
import { type ApiError, errorBody } from "./ApiError.ts"
import { sayFound } from "./body/sayFound.ts"
import { sentIn } from "./body/sentIn.ts"
import { placeOf, problemPage } from "./errorPage.ts"
import { databaseUnreachable, draining } from "./errors.ts"
import { PAGE_POLICY } from "./page.ts"

const errors = countersByTwo("troupe_http_errors_total", "Error responses, by status and code", ["status", "code"])

export const sendError = (request: FastifyRequest, reply: FastifyReply, error: ApiError) => {
  errors(String(error.status), error.code ?? "none").add()
  if (
    error.retryAfterSeconds !== undefined ||
    error.status === 429 ||
    error === databaseUnreachable ||
    error === draining
  )
    void reply.header("retry-after", String(error.retryAfterSeconds ?? 1))
  if (error.status === 401) void reply.header("www-authenticate", "Bearer")
  void reply.code(error.status)
  const place = placeOf(request, error)
  if (place !== undefined)
    return reply
      .header("content-type", "text/html; charset=utf-8")
      .header("content-security-policy", PAGE_POLICY)
      .header("cache-control", "no-store")
      .send(problemPage(error, request.id, place))
  return reply
    .header("content-type", "application/json; charset=utf-8")
    .send(JSON.stringify(errorBody(sayFound(error, sentIn(request)), request.id)))
}
