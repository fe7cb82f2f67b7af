import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { TROUPE } from "#pipeline/telemetry/genAi.ts"
import { spanOf, Tracing } from "#pipeline/telemetry/trace.ts"
import type { App } from "./Server.ts"

declare module "fastify" {
  interface FastifyRequest {
    /** The span that the request belongs to: its own, or its caller's if this process exports none. */
    span: Tracer.AnySpan | null
  }
}

class ServerError extends Error {
  override readonly name = "ServerError"
}

/** A span for each request, in the trace of a valid `traceparent`. Its name is the route and not the path. */
export const traceRequests = Effect.gen(function* () {
  const tracing = yield* Tracing
  const tracer = yield* Tracer.Tracer
  const clock = yield* Clock.Clock

  return (app: App): void => {
    // Without tracing, a request without a traceparent costs nothing.
    if (!tracing) {
      app.decorateRequest("span", {
        getter() {
          const { traceparent } = this.headers
          return traceparent === undefined ? null : (spanOf(traceparent) ?? null)
        }
      })
      return
    }
    app.decorateRequest("span", null)
    app.addHook("onRequest", (request, _, done) => {
      const parent = spanOf(request.headers.traceparent)
      const { config, url } = request.routeOptions
      // Probes and Prometheus ask all the time.
      if (config.cost?.requests !== 0) {
        request.span = tracer.span({
          name: `${request.method} ${url ?? "unknown route"}`,
          parent: Option.fromUndefinedOr(parent),
          annotations: Context.empty(),
          links: [],
          startTime: clock.currentTimeNanosUnsafe(),
          kind: "server",
          root: false,
          sampled: parent?.sampled !== false
        })
      }
      done()
    })
    app.addHook("onResponse", (request, reply, done) => {
      const { span } = request
      if (span?._tag === "Span" && span.sampled) {
        span.attribute("http.request.method", request.method)
        span.attribute("http.route", request.routeOptions.url ?? "")
        span.attribute("http.response.status_code", reply.statusCode)
        span.attribute("troupe.request_id", request.id)
        if (request.principal !== undefined) span.attribute(TROUPE.app, request.principal.appId)
        const exit = reply.statusCode < 500 ? Exit.void : Exit.fail(new ServerError(String(reply.statusCode)))
        span.end(clock.currentTimeNanosUnsafe(), exit)
      }
      done()
    })
  }
})
