import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import { repeatForever } from "#channels/repeatForever.ts"

describe("a background loop", () => {
  it.effect("continues after an iteration fails, and ends when it is interrupted", () =>
    Effect.gen(function* () {
      let done = 0
      const work = Effect.suspend(() => (++done === 2 ? Effect.die(new Error("a bug")) : Effect.void))
      const fiber = yield* Effect.forkChild(repeatForever("1 second", work), { startImmediately: true })
      assert.strictEqual(done, 1)
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(done, 4)
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(done, 4)
    }).pipe(Effect.provide(Layer.succeed(References.MinimumLogLevel, "None")))
  )
})
