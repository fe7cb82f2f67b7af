import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type { Extractor } from "#pipeline/relational/Extractor.ts"
import { NEW_RELATIONSHIP } from "#pipeline/relational/Relationship.ts"
import { Relationships } from "#src/db/memory/Relationships.ts"
import { MemoryExtractions, type PendingExtraction } from "#src/db/memory/MemoryExtractions.ts"
import { MAX_EXTRACTIONS, MemoryExtractionWorker } from "#src/jobs/memory/MemoryExtractor.ts"
import { plainCharacter } from "#test/support/conversation/turns.ts"

const sessions = Array.from({ length: MAX_EXTRACTIONS }, (_, n) => ({ appId: "app_1", sessionId: `ses_${n}` }))
const unread = (sessionId: string): PendingExtraction => ({
  recalled: [],
  exposes: false,
  isLast: true,
  hasStoryline: false,
  reservedMicroUsd: 0,
  isLimited: false,
  turn: {
    sessionId,
    turnIndex: 1,
    character: plainCharacter,
    endUser: { externalUserRef: "u", displayName: null, timezone: null, locale: null, ageBand: "adult" },
    outcome: "replied",
    history: [],
    message: { role: "user", text: "My sister is called Nadia.", cursor: 1, at: new Date(0) },
    reply: null,
    at: new Date(0)
  }
})
/** Its content does not matter here. */
const model: Extractor = { extract: () => Effect.die("nothing to say") }

describe("the memory extractor", () => {
  it.effect("is full exactly while it processes as many sessions as it may", () =>
    Effect.gen(function* () {
      const go = yield* Deferred.make<void>()
      let asked = 0
      const reader = yield* Effect.provide(
        MemoryExtractionWorker,
        MemoryExtractionWorker.layer.pipe(
          Layer.provide([
            Layer.mock(Relationships, {}),
            Layer.mock(MemoryExtractions, {
              next: () =>
                Effect.sync(() => {
                  asked++
                }).pipe(Effect.andThen(Deferred.await(go)), Effect.as(undefined))
            })
          ])
        )
      )
      const reading = yield* Effect.forkChild(
        Effect.forEach(sessions, (session) => reader.drain(session), { concurrency: "unbounded" }),
        { startImmediately: true }
      )
      yield* Effect.yieldNow
      assert.isTrue(yield* reader.isFull("app_1"))
      assert.isFalse(yield* reader.isFull("app_2"))
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(reading)
      assert.isFalse(yield* reader.isFull("app_1"))
      assert.strictEqual(asked, MAX_EXTRACTIONS)
    })
  )

  it.effect("loads the model's context for two sessions at a time", () =>
    Effect.gen(function* () {
      const go = yield* Deferred.make<void>()
      const two = yield* Deferred.make<void>()
      let asked = 0
      let written = 0
      const reader = yield* Effect.provide(
        MemoryExtractionWorker,
        MemoryExtractionWorker.layer.pipe(
          Layer.provide([
            Layer.mock(Relationships, {
              load: () =>
                Effect.sync(() => {
                  if (++asked === 2) Deferred.doneUnsafe(two, Effect.void)
                }).pipe(Effect.andThen(Deferred.await(go)), Effect.as(NEW_RELATIONSHIP))
            }),
            Layer.mock(MemoryExtractions, {
              next: ({ sessionId }) => Effect.succeed(unread(sessionId)),
              write: () =>
                Effect.sync(() => {
                  written++
                })
            })
          ])
        )
      )
      const reading = yield* Effect.forkChild(
        Effect.forEach(sessions, (session) => reader.drain(session, model), { concurrency: "unbounded" }),
        { startImmediately: true }
      )
      yield* Deferred.await(two)
      assert.strictEqual(asked, 2)
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(reading)
      assert.deepStrictEqual({ asked, written }, { asked: MAX_EXTRACTIONS, written: MAX_EXTRACTIONS })
    })
  )
})
