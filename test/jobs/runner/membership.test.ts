import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import { DatabaseError } from "#src/db/postgres/Database.ts"
import { Workers } from "#src/db/conversation/Workers.ts"
import { Membership } from "#src/jobs/runner/Membership.ts"

const unreachable = new DatabaseError({ reason: "unreachable", sqlState: null, cause: "down" })

interface Given {
  /** So many workers are rejected at first. */
  readonly turnedAway?: number
  /** So many registrations fail after the first. */
  readonly dying?: number
  /** So many times a pool cannot be named. */
  readonly unnamed?: number
}

const harness = (given: Given) => {
  let tries = 0
  let namings = 0
  const named: Array<string> = []
  let open = 0
  const lost: Array<Deferred.Deferred<void>> = []
  const register = Effect.gen(function* () {
    const nth = ++tries
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        open++
      }),
      () =>
        Effect.sync(() => {
          open--
        })
    )
    if (nth <= (given.turnedAway ?? 0)) return yield* unreachable
    if (nth > 1 && nth <= 1 + (given.dying ?? 0)) return yield* Effect.die(new Error("a bug"))
    const gone = yield* Deferred.make<void>()
    lost.push(gone)
    return {
      workerId: `wrk_${nth}`,
      connection: () => nth,
      lost: Deferred.await(gone),
      heartbeat: Effect.succeed(null),
      usePool: (pool: string) =>
        Effect.suspend(() => {
          if (++namings <= (given.unnamed ?? 0)) return unreachable
          named.push(`${pool} of wrk_${nth}`)
          return Effect.void
        })
    }
  })
  return {
    layer: Membership.layer.pipe(Layer.provide(Layer.mock(Workers, { register }))),
    open: () => open,
    named,
    lose: Effect.suspend(() => Deferred.succeed(lost.at(-1)!, undefined))
  }
}
const quiet = Effect.provide(Layer.succeed(References.MinimumLogLevel, "None"))

describe("a worker that registers", () => {
  it.effect("leaves nothing open after failed attempts", () =>
    Effect.gen(function* () {
      const { layer, open } = harness({ turnedAway: 3 })
      const joining = yield* Effect.forkChild(Layer.build(layer), { startImmediately: true })
      yield* TestClock.adjust("3 seconds")
      yield* Fiber.join(joining)
      assert.strictEqual(open(), 1)
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("does not start if the database keeps refusing it", () =>
    Effect.gen(function* () {
      const { layer, open } = harness({ turnedAway: Infinity })
      const joining = yield* Effect.forkChild(Effect.result(Layer.build(layer)), { startImmediately: true })
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* Fiber.join(joining))._tag, "Failure")
      assert.strictEqual(open(), 0)
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("registers again after it has lost its lock, even after a failed attempt", () =>
    Effect.gen(function* () {
      const { layer, open, lose } = harness({ dying: 2 })
      const membership = yield* Effect.map(Layer.build(layer), Context.get(Membership))
      assert.deepStrictEqual(yield* membership.current, Option.some("wrk_1"))
      yield* lose
      yield* TestClock.adjust("10 millis")
      assert.deepStrictEqual(yield* membership.current, Option.none())
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* membership.current, Option.some("wrk_4"))
      assert.strictEqual(open(), 1)
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("names the latest of its pools until the database has recorded it, and again after each registration", () =>
    Effect.gen(function* () {
      const { layer, lose, named } = harness({ unnamed: 3 })
      const membership = yield* Effect.map(Layer.build(layer), Context.get(Membership))
      yield* membership.usePool("pool-1")
      yield* TestClock.adjust("1 second")
      yield* membership.usePool("pool-2")
      assert.deepStrictEqual(named, [])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(named, ["pool-2 of wrk_1"])
      yield* lose
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(named, ["pool-2 of wrk_1", "pool-2 of wrk_2"])
    }).pipe(Effect.scoped, quiet)
  )
})
