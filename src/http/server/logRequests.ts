import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"
import { callerOf } from "./Credential.ts"
import type { App } from "./Server.ts"

/**
 * The access log: one line for each answered request, at the level `debug`. It names the route and not the path, which
 * may contain what identifies a person.
 */
export const logRequests = Effect.fnUntraced(function* (app: App) {
  const level = yield* References.MinimumLogLevel
  if (LogLevel.isGreaterThan(level, "Debug")) return
  const fork = yield* FiberSet.makeRuntime()
  app.addHook("onResponse", (request, reply, done) => {
    fork(
      Effect.logDebug("request answered", {
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        duration_ms: Math.round(reply.elapsedTime),
        caller: callerOf(request)
      })
    )
    done()
  })
})
