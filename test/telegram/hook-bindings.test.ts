import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { createHash } from "node:crypto"
import { assert, describe, it } from "vitest"
import { DatabaseError } from "#src/db/postgres/Database.ts"
import { HookBindings } from "#src/db/telegram/HookBindings.ts"
import { type Binding, Updates } from "#src/db/telegram/Updates.ts"
import { retainedBytes } from "#test/support/retainedBytes.ts"

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

/** Bots that are looked up only once the gate is open; counts how often. */
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
      store: () => Effect.void,
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

describe("who calls a hook", () => {
  const soon = (binding: Binding | undefined) => () => Effect.as(Effect.sleep("5 millis"), binding)

  it("is looked up once for all who show the secret at once, and then remembered", () =>
    withLookUps(soon(BINDING), (check, lookUps) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(new Set(yield* checkAll(check, 500, SECRET)), new Set(["telegram"]))
        assert.deepStrictEqual(new Set(yield* checkAll(check, 500, SECRET)), new Set(["telegram"]))
        assert.strictEqual(lookUps(), 1)
      })
    ))

  it("costs two looks at most in a second, however many show a wrong secret or call a bot that is not there", async () => {
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

  it("is found for those who wait, when who asked first is gone", async () => {
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

  it("is looked up again at once after a look that failed", () => {
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

  it("keeps nothing of the URL that an unknown bot was asked for by", () =>
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
