import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { assert, describe, it } from "vitest"
import { during, inUnit, layer, stayInUnit, vitals } from "#src/units/currentUnit.ts"
import { unitOf } from "#src/units/Unit.ts"

const A = unitOf("turn", "app_a", "ses_a 1")
const B = unitOf("reading", "app_b", "ses_b 2")
const now = () => vitals.see().unit
const look = Effect.sync(now)
const run = <T>(work: Effect.Effect<T>) => Effect.runPromise(Effect.provide(work, layer))

describe("the current unit of work in shared memory", () => {
  it("is the one whose code runs, among fibers that alternate", async () => {
    const steps = (times: number) =>
      Effect.forEach(Array.from({ length: times }), () => Effect.tap(look, Effect.yieldNow))
    const seen = await run(
      Effect.all([inUnit(A, steps(50)), inUnit(B, steps(50)), steps(50)], { concurrency: "unbounded" })
    )
    assert.deepStrictEqual(
      seen.map((texts) => Array.from(new Set(texts))),
      [[A.text], [B.text], [""]]
    )
    assert.strictEqual(now(), "")
  })

  it("is empty after the end of a unit, however it ended", async () => {
    assert.deepStrictEqual(await run(Effect.flatMap(inUnit(A, Effect.succeed(1)), () => look)), "")
    assert.deepStrictEqual(
      await run(Effect.matchEffect(inUnit(A, Effect.fail("x")), { onSuccess: () => look, onFailure: () => look })),
      ""
    )
    assert.deepStrictEqual(await run(Effect.catchDefect(inUnit(A, Effect.die("x")), () => look)), "")
  })

  it("is that of the fiber itself if another unit wakes it", async () => {
    const seen = await run(
      Effect.gen(function* () {
        const bell = yield* Deferred.make<void>()
        const waiting = yield* Effect.forkChild(Effect.andThen(Deferred.await(bell), look), { startImmediately: true })
        const inOther = yield* Effect.forkChild(inUnit(B, Effect.andThen(Deferred.await(bell), look)), {
          startImmediately: true
        })
        const own = yield* inUnit(A, Effect.andThen(Deferred.succeed(bell, undefined), look))
        return [own, yield* Fiber.join(waiting), yield* Fiber.join(inOther)]
      })
    )
    assert.deepStrictEqual(seen, [A.text, "", B.text])
  })

  it("is empty while a promise of the unit is pending, and the unit again when it continues", async () => {
    const seen: Array<string> = []
    await run(
      inUnit(
        A,
        Effect.promise(async () => {
          const within = stayInUnit()
          seen.push(now())
          await Promise.resolve()
          seen.push(now(), within(now), now())
        })
      )
    )
    assert.deepStrictEqual(seen, [A.text, "", A.text, ""])
  })

  it("is the outer one within another", async () => {
    assert.strictEqual(await run(inUnit(A, inUnit(B, look))), A.text)
    assert.strictEqual(
      during(A, () => during(B, () => during(null, now))),
      ""
    )
    assert.throws(
      () =>
        during(A, () => {
          throw new Error("x")
        }),
      "x"
    )
    assert.strictEqual(now(), "")
  })
})
