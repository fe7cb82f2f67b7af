import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { TurnPipeline } from "#pipeline/Turn.ts"
import { CharacterVersions } from "#src/db/CharacterVersions.ts"
import { type Lease, Turns } from "#src/db/Turns.ts"
import type { ClaimRow } from "#src/db/turnStatements.ts"
import { Membership } from "#src/jobs/Membership.ts"
import { TurnRunner } from "#src/jobs/TurnRunner.ts"

const session = { appId: "app_1", sessionId: "ses_1" }
const row: ClaimRow = {
  app_id: session.appId, session_id: session.sessionId, turn_index: 1, run_ref: "run_1", reply_mode: "fast", owner: "wrk_1", fence: 1, crashes: 0, session_status: "active", text: "hello",
  character_slug: "mara", character_version: 1, external_user_ref: "user-1", display_name: null, timezone: null, locale: null, age_band: "unknown"
}

describe("a turn whose claim is on its way when its worker is asked to stop", () => {
  it.effect("is given back, and not begun", () => Effect.gen(function*() {
    const asked = yield* Deferred.make<void>()
    const answer = yield* Deferred.make<ClaimRow>()
    const released: Array<Lease> = []
    const ports = Layer.mergeAll(
      Layer.succeed(Turns, Turns.of({
        claim: () => Deferred.succeed(asked, undefined).pipe(Effect.andThen(Deferred.await(answer))),
        settle: () => Effect.die("settled"),
        heldBy: () => Effect.succeed([]),
        release: (lease) => Effect.sync(() => { released.push(lease) })
      })),
      Layer.succeed(Membership, Membership.of({ current: Effect.succeed(Option.some("wrk_1")), usePool: () => Effect.void })),
      Layer.succeed(CharacterVersions, CharacterVersions.of({ get: () => Effect.die("begun") })),
      Layer.succeed(TurnPipeline, TurnPipeline.of({ run: () => Effect.die("begun") }))
    )
    const runner = yield* Effect.provide(TurnRunner, TurnRunner.layer.pipe(Layer.provide(ports)))
    const drain = yield* Effect.forkChild(runner.drain(session))
    yield* Deferred.await(asked)
    const stopped = yield* Effect.forkChild(Fiber.interrupt(drain), { startImmediately: true })
    yield* Deferred.succeed(answer, row)
    yield* Fiber.join(stopped)
    assert.deepStrictEqual(released, [{ ...session, turnIndex: 1, owner: "wrk_1", fence: 1 }])
    assert.strictEqual(yield* runner.inFlight, 0)
  }))
})
