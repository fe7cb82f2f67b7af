import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { makeSlots, slotsFor } from "#src/jobs/runner/slots.ts"

/** Work that starts, is recorded, and ends on demand. */
const harness = (count: number) => {
  const places = makeSlots(count)
  const begun: Array<string> = []
  const ends = new Map<string, Deferred.Deferred<void>>()
  const start = Effect.fnUntraced(function* (appId: string, name: string) {
    const end = yield* Deferred.make<void>()
    ends.set(name, end)
    yield* Effect.forkChild(
      places.withSlot(
        appId,
        Effect.sync(() => {
          begun.push(name)
        }).pipe(Effect.andThen(Deferred.await(end)))
      ),
      { startImmediately: true }
    )
    yield* Effect.yieldNow
  })
  const finish = Effect.fnUntraced(function* (name: string) {
    const end = ends.get(name)
    if (end !== undefined) yield* Deferred.succeed(end, undefined)
    yield* Effect.yieldNow
    yield* Effect.yieldNow
  })
  return { places, begun, start, finish }
}

describe("slots shared between apps", () => {
  it.effect("are used by one app alone up to its share, and the rest is free for the next", () =>
    Effect.gen(function* () {
      const { places, begun, start } = harness(slotsFor(8))
      for (let n = 0; n < 12; n++) yield* start("a", `a${n}`)
      assert.lengthOf(begun, 8)
      assert.isTrue(places.isFull("a"))
      assert.isFalse(places.isFull("b"))
      yield* start("b", "b0")
      assert.strictEqual(begun.at(-1), "b0")
    })
  )

  it.effect("go to the waiting app that holds the fewest when one becomes free", () =>
    Effect.gen(function* () {
      const { begun, start, finish } = harness(10)
      for (let n = 0; n < 20; n++) yield* start("a", `a${n}`)
      for (let n = 0; n < 20; n++) yield* start("b", `b${n}`)
      const before = begun.length
      yield* finish("a0")
      yield* finish("a1")
      yield* finish("a2")
      assert.isTrue(
        begun.slice(before).every((name) => name.startsWith("b")),
        begun.join(" ")
      )
    })
  )

  it.effect("are taken in turn by apps that hold equally many, and in order of arrival within an app", () =>
    Effect.gen(function* () {
      const { begun, start, finish } = harness(2)
      yield* start("x", "x0")
      yield* start("x", "x1")
      for (const app of ["a", "b", "c"]) for (let n = 0; n < 2; n++) yield* start(app, `${app}${n}`)
      for (const name of ["x0", "x1", "a0", "b0", "c0", "a1", "b1"]) yield* finish(name)
      assert.deepStrictEqual(begun, ["x0", "x1", "a0", "b0", "c0", "a1", "b1", "c1"])
    })
  )
})
