import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import type { Pulse } from "#src/db/conversation/pulse.ts"
import { Workers } from "#src/db/conversation/Workers.ts"
import { Membership } from "#src/jobs/runner/Membership.ts"
import { SharedSweeps } from "#src/jobs/runner/SharedSweeps.ts"

const NOTHING: Pulse = {
  dead: false,
  given_up: [],
  registered: true,
  holds_turns: false,
  holds_lanes: false,
  late_turns: false,
  ready_lanes: false,
  open_updates: false,
  sweep_due: false
}

/** The tables that the processes share, and how often each was asked. */
const makeTables = () => {
  const asked = { pulses: 0, takes: 0 }
  let registered = 0
  let sweptAt = -Infinity
  const isDue = Effect.map(Clock.currentTimeMillis, (now) => now - sweptAt >= 900)
  const register = Effect.gen(function* () {
    const workerId = `wrk_${++registered}`
    const pulse = Effect.map(isDue, (sweep_due) => {
      asked.pulses++
      return { ...NOTHING, sweep_due }
    })
    return {
      workerId,
      connection: () => 1,
      lost: Effect.never,
      heartbeat: pulse,
      usePool: () => Effect.void
    }
  })
  const takeSweep = () =>
    Effect.gen(function* () {
      asked.takes++
      if (!(yield* isDue)) return false
      sweptAt = yield* Clock.currentTimeMillis
      return true
    })
  return { asked, layer: Layer.mock(Workers, { register, takeSweep }) }
}

/** Starts processes at different moments of a second. Each does this sweep. */
const start = Effect.fnUntraced(function* (
  tables: ReturnType<typeof makeTables>,
  sweeps: ReadonlyArray<Effect.Effect<void>>
) {
  for (const sweep of sweeps) {
    const process = SharedSweeps.layer.pipe(Layer.provide(Membership.layer), Layer.provide(tables.layer), Layer.fresh)
    const { add } = Context.get(yield* Layer.build(process), SharedSweeps)
    yield* add(sweep)
    yield* TestClock.adjust(1000 / sweeps.length)
  }
})

describe("processes that have nothing to do", () => {
  it.effect.each([1, 3, 12])("sweep about once a second, all %i together, and each asks once a second", (count) =>
    Effect.gen(function* () {
      let swept = 0
      const tables = makeTables()
      const sweep = Effect.sync(() => {
        swept++
      })
      yield* start(
        tables,
        Array.from({ length: count }, () => sweep)
      )
      const before = { ...tables.asked, swept }
      yield* TestClock.adjust("60 seconds")
      assert.isAtMost(tables.asked.pulses - before.pulses, 60 * count)
      assert.isAtLeast(swept - before.swept, 54)
      assert.isAtMost(swept - before.swept, 67)
      assert.strictEqual(tables.asked.takes - before.takes, swept - before.swept)
    }).pipe(Effect.scoped)
  )
})

describe("a process whose sweep does not end", () => {
  it.effect("takes no further turn, and another sweeps in its place", () =>
    Effect.gen(function* () {
      let hanging = 0
      let swept = 0
      const answer = yield* Deferred.make<void>()
      yield* start(makeTables(), [
        Effect.suspend(() => {
          hanging++
          return Deferred.await(answer)
        }),
        Effect.sync(() => {
          swept++
        })
      ])
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(hanging, 1)
      assert.isAtLeast(swept, 9)
      yield* Deferred.succeed(answer, undefined)
    }).pipe(Effect.scoped)
  )
})
