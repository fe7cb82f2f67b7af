import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"
import { assert, describe, it } from "vitest"
import { continueTrace, currentTraceparent, inSpan, spanOf, Tracing } from "#pipeline/telemetry/trace.ts"
import { safeTracer } from "#src/telemetry/safeTracer.ts"

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const SPAN = "00f067aa0ba902b7"

describe("a traceparent", () => {
  it("names a span and whether it is recorded, also in a later version with more fields", () => {
    assert.deepInclude(spanOf(`00-${TRACE}-${SPAN}-01`), { traceId: TRACE, spanId: SPAN, sampled: true })
    assert.deepInclude(spanOf(`00-${TRACE}-${SPAN}-00`), { sampled: false })
    assert.deepInclude(spanOf(`cc-${TRACE}-${SPAN}-03-more`), { traceId: TRACE, sampled: true })
  })

  it.each([
    undefined,
    "",
    "00",
    `ff-${TRACE}-${SPAN}-01`,
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01\r\nx: y`,
    `00-${TRACE}-${SPAN}-01${"-a".repeat(1000)}`,
    [`00-${TRACE}-${SPAN}-01`]
  ])("that is not valid is ignored: %j", (given) => assert.isUndefined(spanOf(given)))

  it("is passed on as it is by a process that exports no traces", async () => {
    const given = `00-${TRACE}-${SPAN}-01`
    assert.strictEqual(await Effect.runPromise(currentTraceparent.pipe(inSpan("turn"), continueTrace(given))), given)
    assert.isNull(await Effect.runPromise(currentTraceparent.pipe(inSpan("turn"), continueTrace("nonsense"))))
  })
})

/** The names of the spans that are recorded, and how they ended. */
const recorded = async (effect: Effect.Effect<unknown, unknown>, ratio: number, random = () => 0.5) => {
  const ended: Array<readonly [string, Exit.Exit<unknown, unknown>]> = []
  const inner = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      const end = span.end.bind(span)
      span.end = (time, exit) => {
        ended.push([span.name, exit])
        end(time, exit)
      }
      return span
    }
  })
  await Effect.runPromiseExit(
    Effect.provide(effect, [
      Layer.succeed(Tracer.Tracer, safeTracer(inner, ratio, random)),
      Layer.succeed(Tracing, true)
    ])
  )
  return ended
}

describe("a tracer", () => {
  const turn = Effect.void.pipe(inSpan("stage"), inSpan("turn", "consumer"))

  it("records a share of the traces, each with all of its spans", async () => {
    assert.deepStrictEqual(
      (await recorded(turn, 0.6)).map(([name]) => name),
      ["stage", "turn"]
    )
    assert.deepStrictEqual(await recorded(turn, 0.4), [])
  })

  it("keeps the decision of a caller", async () => {
    assert.lengthOf(await recorded(turn.pipe(continueTrace(`00-${TRACE}-${SPAN}-01`)), 0), 2)
    assert.lengthOf(await recorded(turn.pipe(continueTrace(`00-${TRACE}-${SPAN}-00`)), 1), 0)
  })

  it("records no background work that belongs to no request, update, turn or delivery", async () => {
    assert.deepStrictEqual(await recorded(Effect.void.pipe(inSpan("background")), 1), [])
  })

  it("says of an error what and where it was, and not what somebody wrote", async () => {
    const failing = Effect.fail(new Error("my sister Zanzibar")).pipe(inSpan("turn", "consumer"))
    const [[, exit] = []] = await recorded(failing, 1)
    assert.isTrue(exit !== undefined && Exit.isFailure(exit))
    assert.notInclude(JSON.stringify(exit), "Zanzibar")
    assert.notInclude(String(exit), "Zanzibar")
  })
})
