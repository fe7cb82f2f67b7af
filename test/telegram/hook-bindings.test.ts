import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { createHash } from "node:crypto"
import { assert, describe, it } from "vitest"
import { DatabaseError } from "#src/db/postgres/Database.ts"
import { HookBindings } from "#src/db/telegram/HookBindings.ts"
import { type Binding, Updates } from "#src/db/telegram/Updates.ts"
import { retainedBytes } from "#test/support/effort/retainedBytes.ts"

const BOT = `bot_${"0".repeat(26)}`
const SECRET = "the-secret"
const BINDING: Binding = {
  appId: "app_1",
  channelId: BOT,
  status: "active",
  secretHash: createHash("sha256").update(SECRET).digest(),
  previousSecretHash: null,
  joinWindowMs: 0
}

/** A store of bots whose lookups wait until the gate is open, and are counted. */
const withLookUps = <A, E>(
  lookUp: (id: string) => Effect.Effect<Binding | undefined, DatabaseError>,
  use: (check: HookBindings["Service"]["check"], lookUps: () => number) => Effect.Effect<A, E>
) => {
  let lookUps = 0
  const binding = (id: string) =>
    Effect.suspend(() => {
      lookUps++
      return lookUp(id)
    })
  const updates = Layer.succeed(
    Updates,
    Updates.of({
      binding,
      store: () => Effect.succeed(true),
      claim: () => Effect.never,
      done: () => Effect.never,
      giveUp: () => Effect.never,
      failed: () => Effect.never,
      sweep: Effect.void
    })
  )
  return Effect.runPromise(
    HookBindings.use(({ check }) => use(check, () => lookUps)).pipe(
      Effect.provide(HookBindings.layer.pipe(Layer.provide(updates)))
    )
  )
}

const checkAll = (check: HookBindings["Service"]["check"], count: number, secret: string) =>
  Effect.forEach(Array.from({ length: count }), () => Effect.map(check(BOT, secret), ({ _tag }) => _tag), {
    concurrency: "unbounded"
  })

describe("the lookup of a webhook's bot", () => {
  const soon = (binding: Binding | undefined) => () => Effect.as(Effect.sleep("5 millis"), binding)

  it("happens once for all concurrent calls with the secret, and is then cached", () =>
    withLookUps(soon(BINDING), (check, lookUps) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(new Set(yield* checkAll(check, 500, SECRET)), new Set(["telegram"]))
        assert.deepStrictEqual(new Set(yield* checkAll(check, 500, SECRET)), new Set(["telegram"]))
        assert.strictEqual(lookUps(), 1)
      })
    ))

  it("happens at most twice a second, however many calls have a wrong secret or an unknown bot", async () => {
    for (const [binding, answer] of [
      [BINDING, "foreign"],
      [undefined, "nobody"]
    ] as const) {
      await withLookUps(soon(binding), (check, lookUps) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(new Set(yield* checkAll(check, 500, "wrong")), new Set([answer]))
          assert.deepStrictEqual(new Set(yield* checkAll(check, 500, "wrong")), new Set([answer]))
          assert.strictEqual(lookUps(), 2)
        })
      )
    }
  })

  it("succeeds for those who wait even if the first caller has left", async () => {
    const gate = Deferred.makeUnsafe<void>()
    await withLookUps(
      () => Effect.as(Deferred.await(gate), BINDING),
      (check, lookUps) =>
        Effect.gen(function* () {
          const first = yield* Effect.forkChild(check(BOT, SECRET), { startImmediately: true })
          const second = yield* Effect.forkChild(check(BOT, SECRET), { startImmediately: true })
          yield* Fiber.interrupt(first)
          Deferred.doneUnsafe(gate, Effect.void)
          assert.strictEqual((yield* Fiber.join(second))._tag, "telegram")
          assert.strictEqual(lookUps(), 1)
        })
    )
  })

  it("is repeated at once after a lookup that failed", () => {
    const away = new DatabaseError({ reason: "unreachable", sqlState: null, cause: new Error("away") })
    let isAway = true
    return withLookUps(
      () => (isAway ? Effect.fail(away) : Effect.succeed(BINDING)),
      (check) =>
        Effect.gen(function* () {
          assert.strictEqual((yield* Effect.flip(check(BOT, SECRET))).reason, "unreachable")
          isAway = false
          assert.strictEqual((yield* check(BOT, SECRET))._tag, "telegram")
        })
    )
  })

  it("caches nothing of the URL of an unknown bot", () =>
    withLookUps(
      () => Effect.succeed(undefined),
      (check) =>
        Effect.promise(async () => {
          let asked = 0
          const ask = () => {
            const url = `/v1/telegram/hooks/bot_${String(asked++).padStart(26, "0")}?${"x".repeat(15_000)}`
            return Effect.runPromise(check(url.slice(20, 50), "wrong"))
          }
          assert.isBelow((await retainedBytes({ times: 1000, each: ask })) / 1000, 5000)
        })
    ))
})
