import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

/** Whether this process exports traces. Without, no spans are made, and only a caller's own context is passed on. */
export const Tracing = Context.Reference<boolean>("pipeline/telemetry/Tracing", { defaultValue: () => false })

/** Whether spans may contain what people and models write. */
export const CaptureContent = Context.Reference<boolean>("pipeline/telemetry/CaptureContent", {
  defaultValue: () => false
})

/** W3C Trace Context: version, trace id, parent id, flags. A later version may add fields. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/
const MAX_CHARACTERS = 128
const SAMPLED = 1

/** The span that a `traceparent` names. Undefined if it is not valid. */
export const spanOf = (traceparent: unknown): Tracer.ExternalSpan | undefined => {
  if (typeof traceparent !== "string" || traceparent.length > MAX_CHARACTERS) return undefined
  const [, traceId, spanId, flags = "00"] = TRACEPARENT.exec(traceparent) ?? []
  if (traceId === undefined || spanId === undefined) return undefined
  return Tracer.externalSpan({ traceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED })
}

export const traceparentOf = ({ traceId, spanId, sampled }: Tracer.AnySpan): string =>
  `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`

/** The `traceparent` of the span that this effect is in. Null: it is in none. */
export const currentTraceparent: Effect.Effect<string | null> = Effect.map(
  Effect.serviceOption(Tracer.ParentSpan),
  (span) => (Option.isSome(span) ? traceparentOf(span.value) : null)
)

/** Continues the trace that a `traceparent` names, if there is one. */
export const continueTrace =
  (traceparent: string | null) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const span = spanOf(traceparent)
    return span === undefined ? self : Effect.provideService(self, Tracer.ParentSpan, span)
  }

/** Runs the effect in a span of its own. `attributes` contain no text of people or models, and no secret. */
export const inSpan =
  (name: string, kind: Tracer.SpanKind = "internal", attributes: Readonly<Record<string, unknown>> = {}) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Tracing, (on) =>
      on
        ? (Effect.withSpan(self, name, { kind, attributes, captureStackTrace: false }) as Effect.Effect<A, E, R>)
        : self
    )

/** Adds attributes to the current span. */
export const describeSpan = (attributes: Readonly<Record<string, unknown>>): Effect.Effect<void> =>
  Effect.flatMap(Tracing, (on) => (on ? Effect.annotateCurrentSpan(attributes) : Effect.void))
