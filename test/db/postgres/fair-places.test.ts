import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { makeFairPlaces } from "#src/db/postgres/fairPlaces.ts"

/** Work that starts, is recorded, and ends on demand. */
const harness = (count: number) => {
  const withPlace = makeFairPlaces(count)
  const begun: Array<string> = []
  const start = Effect.fnUntraced(function* (appId: string, name: string) {
    const end = yield* Deferred.make<void>()
    const work = Effect.andThen(
      Effect.sync(() => begun.push(name)),
      Deferred.await(end)
    )
    const fiber = yield* Effect.forkChild(withPlace(appId, work), { startImmediately: true })
    return { fiber, end: Effect.andThen(Deferred.succeed(end, undefined), Fiber.await(fiber)) }
  })
  return { begun, start }
}

describe("places for short work", () => {
  it.effect("are all given to one app if no other wants any, and else to each app in turn", () =>
    Effect.gen(function* () {
      const { begun, start } = harness(2)
      const busy = yield* Effect.forEach(["a1", "a2", "a3", "a4", "a5"], (name) => start("a", name))
      yield* start("b", "b1")
      assert.deepStrictEqual(begun, ["a1", "a2"])
      for (const { end } of busy.slice(0, 2)) yield* end
      yield* Effect.yieldNow
      assert.deepStrictEqual(begun, ["a1", "a2", "a3", "b1"])
    })
  )

  it.effect("are not lost when work ends early, fails, or is stopped while it waits", () =>
    Effect.gen(function* () {
      const { begun, start } = harness(1)
      const first = yield* start("a", "a1")
      const waiting = yield* start("b", "b1")
      yield* Fiber.interrupt(waiting.fiber)
      const second = yield* start("c", "c1")
      yield* Fiber.interrupt(first.fiber)
      yield* Effect.yieldNow
      assert.deepStrictEqual(begun, ["a1", "c1"])
      yield* second.end
      yield* start("b", "b2")
      assert.deepStrictEqual(begun, ["a1", "c1", "b2"])
    })
  )
})
