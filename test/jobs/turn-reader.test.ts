import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { Relationships } from "#src/db/Relationships.ts"
import { ReadTurns } from "#src/db/ReadTurns.ts"
import { MAX_READING, TurnReader } from "#src/jobs/TurnReader.ts"

const sessions = Array.from({ length: MAX_READING }, (_, n) => ({ appId: "app_1", sessionId: `ses_${n}` }))

describe("the reader of turns", () => {
  it.effect("is full while it reads as many sessions as it may, two of them at the database, and not after", () => Effect.gen(function*() {
    const go = yield* Deferred.make<void>()
    let asked = 0
    const reader = yield* Effect.provide(TurnReader, TurnReader.layer.pipe(Layer.provide([
      Layer.mock(Relationships, {}),
      Layer.mock(ReadTurns, {
        next: () => Effect.sync(() => { asked++ }).pipe(Effect.andThen(Deferred.await(go)), Effect.as(undefined))
      })
    ])))
    const reading = yield* Effect.forkChild(Effect.forEach(sessions, reader.drain, { concurrency: "unbounded" }), { startImmediately: true })
    yield* Effect.yieldNow
    assert.isTrue(yield* reader.isFull)
    assert.strictEqual(asked, 2)
    yield* Deferred.succeed(go, undefined)
    yield* Fiber.join(reading)
    assert.isFalse(yield* reader.isFull)
    assert.strictEqual(asked, MAX_READING)
  }))
})
