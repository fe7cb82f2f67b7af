import * as Effect from "effect/Effect"
import type { FastifyReply, FastifyRequest } from "fastify"
import { ApiError } from "./ApiError.ts"
import { fromFastify } from "./body/parsing.ts"
import type { Bridge } from "./bridge.ts"
import { callerOf } from "./Credential.ts"
import { internalError, methodNotAllowed, noRoute } from "./errors.ts"
import { noteRoutes } from "./noteRoutes.ts"
import { sendError } from "./sendError.ts"
import type { App, HandlerServices } from "./Server.ts"

/** Errors about the body of a request. They do not matter on a path that takes no body. */
const ABOUT_BODY: ReadonlySet<string | null> = new Set([
  "validation_error",
  "unsupported_media_type",
  "payload_too_large"
])

/** Error handler and 404 handler. Call it before adding routes. */
export const answerErrors = (
  app: App,
  { bridge, headers }: { readonly bridge: Bridge<HandlerServices>; readonly headers: Readonly<Record<string, string>> }
): void => {
  const { methodsOf, meantBy } = noteRoutes(app)
  const answerUnmatched = (request: FastifyRequest, reply: FastifyReply) => {
    const allowed = methodsOf(request.url)
    if (allowed.length === 0)
      return sendError(request, reply, noRoute(request.method, request.url, meantBy(request.url)))
    return sendError(request, reply.header("allow", allowed.join(", ")), methodNotAllowed(request.method, allowed))
  }
  app.setNotFoundHandler(answerUnmatched)
  app.setErrorHandler(async (thrown: unknown, request, reply) => {
    const { tooLarge, tooLargeForDemo, machine } = request.routeOptions.config
    if (machine === true) void reply.headers(headers)
    const error =
      thrown instanceof ApiError
        ? thrown
        : fromFastify(
            thrown as Error,
            request.routeOptions.bodyLimit,
            request.principal?.kind === "demo" ? (tooLargeForDemo ?? tooLarge) : tooLarge
          )
    if (error === null) {
      await bridge.run(Effect.logError("request failed", thrown), reply, "never").catch(() => {})
      return sendError(request, reply, internalError)
    }
    if (request.is404 && ABOUT_BODY.has(error.code)) return answerUnmatched(request, reply)
    const { exists } = request.routeOptions.config
    if (error.code === "validation_error" && exists !== undefined && callerOf(request) !== null) {
      const absent = await bridge
        .run(Effect.as(exists(request), null), reply, "when caller leaves")
        .catch((failed: ApiError) => failed)
      if (absent !== null) return sendError(request, reply, absent)
    }
    return sendError(request, reply, error)
  })
}
