import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import type { FastifyRequest } from "fastify"
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

const NANOS_PER_MS = 1e6

/** Callers who may decide that a trace is recorded. Anybody can get a demo key, and a page can get a stream token. */
const isTrusted = ({ principal, streamToken, account, operator }: FastifyRequest): boolean =>
  (principal?.kind === "runtime" && streamToken === undefined) || account !== undefined || operator !== undefined

/**
 * A span for each request that is admitted, in the trace of a valid `traceparent`. Its name is the route and not the
 * path. Others could have everything recorded, so their `traceparent` is ignored.
 */
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
    // The first hook after the caller is known.
    app.addHook("preParsing", (request, reply, _, done) => {
      const parent = isTrusted(request) ? spanOf(request.headers.traceparent) : undefined
      const { config, url } = request.routeOptions
      // Probes and Prometheus ask all the time.
      if (config.cost?.requests !== 0) {
        request.span = tracer.span({
          name: `${request.method} ${url ?? "unknown route"}`,
          parent: Option.fromUndefinedOr(parent),
          annotations: Context.empty(),
          links: [],
          startTime: clock.currentTimeNanosUnsafe() - BigInt(Math.round(reply.elapsedTime * NANOS_PER_MS)),
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
