import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Character } from "#pipeline/domain/Character.ts"
import { Outcome, type StageRecord } from "#pipeline/domain/Turn.ts"
import { TurnPipeline } from "#pipeline/Turn.ts"
import { CharacterVersions } from "#src/db/character/CharacterVersions.ts"
import { DatabaseError } from "#src/db/postgres/Database.ts"
import { ProactiveDecisions } from "#src/db/proactive/ProactiveDecisions.ts"
import { type Lease, type Settlement, Turns } from "#src/db/conversation/Turns.ts"
import type { ClaimRow } from "#src/db/conversation/claimTurns.ts"
import { Membership } from "#src/jobs/runner/Membership.ts"
import { MAX_IN_FLIGHT, MAX_WAITING, TurnRunner } from "#src/jobs/conversation/TurnRunner.ts"
import { characterOf, plainCharacter } from "#test/support/conversation/turns.ts"

const session = { appId: "app_1", sessionId: "ses_1" }
const row: ClaimRow = {
  app_id: session.appId,
  session_id: session.sessionId,
  turn_index: 1,
  run_ref: "run_1",
  reply_mode: "fast",
  owner: "wrk_1",
  fence: 1,
  crashes: 0,
  accepted_at: new Date(0),
  deferred: false,
  stopped: false,
  session_status: "active",
  text: "hello",
  parts: null,
  fault: null,
  traceparent: null,
  initiative: null,
  character_slug: "mara",
  character_version: 1,
  external_user_ref: "user-1",
  display_name: null,
  timezone: null,
  locale: null,
  age_band: "unknown",
  minor_character: false,
  has_looks: false,
  after_crisis: false,
  left_micro_usd: null
}
const lease: Lease = { ...session, turnIndex: 1, owner: "wrk_1", fence: 1 }

const runnerWith = (given: {
  readonly turns: Partial<Turns["Service"]>
  readonly run?: TurnPipeline["Service"]["run"]
  readonly character?: Character
}) =>
  Effect.map(
    Layer.build(
      TurnRunner.layer(MAX_IN_FLIGHT).pipe(
        Layer.provide([
          Layer.mock(Turns, { heldBy: () => Effect.succeed([]), ...given.turns }),
          Layer.mock(ProactiveDecisions, {}),
          Layer.succeed(
            Membership,
            Membership.of({
              current: Effect.succeed(Option.some("wrk_1")),
              connection: Effect.succeed(Option.some(1)),
              usePool: () => Effect.void,
              onPulse: () => Effect.void
            })
          ),
          Layer.succeed(
            CharacterVersions,
            CharacterVersions.of({ get: () => Effect.succeed(given.character ?? plainCharacter) })
          ),
          Layer.succeed(
            TurnPipeline,
            TurnPipeline.of({
              run: given.run ?? (() => Effect.die("begun")),
              stallMs: ({ fault }) => (fault === "stall" ? 30_000 : 0)
            })
          )
        ])
      )
    ),
    Context.get(TurnRunner)
  )

describe("a turn whose claim is in flight when its worker is asked to stop", () => {
  it.effect("is released without being started", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const answer = yield* Deferred.make<ClaimRow>()
      const released: Array<Lease> = []
      const runner = yield* runnerWith({
        turns: {
          claim: () => Deferred.succeed(asked, undefined).pipe(Effect.andThen(Deferred.await(answer))),
          release: (lease) =>
            Effect.sync(() => {
              released.push(lease)
            })
        }
      })
      const drain = yield* Effect.forkChild(runner.drain(session))
      yield* Deferred.await(asked)
      const stopped = yield* Effect.forkChild(Fiber.interrupt(drain), { startImmediately: true })
      yield* Deferred.succeed(answer, row)
      yield* Fiber.join(stopped)
      assert.deepStrictEqual(released, [lease])
      assert.strictEqual(yield* runner.inFlight, 0)
    })
  )
})

describe("a process with more sessions than slots", () => {
  it.effect("counts those that wait for a slot, so that the sweeper takes no more of them", () =>
    Effect.gen(function* () {
      const answer = yield* Deferred.make<undefined>()
      const runner = yield* runnerWith({ turns: { claim: () => Deferred.await(answer) } })
      const sessions = Array.from({ length: MAX_IN_FLIGHT + 1 }, (_, n) => ({ ...session, sessionId: `ses_${n}` }))
      const drain = yield* Effect.forkChild(
        Effect.forEach(sessions, (one) => runner.drain(one), { concurrency: "unbounded" }),
        { startImmediately: true }
      )
      yield* Effect.yieldNow
      assert.strictEqual(yield* runner.inFlight, MAX_IN_FLIGHT + 1)
      yield* Deferred.succeed(answer, undefined)
      yield* Fiber.join(drain)
      assert.strictEqual(yield* runner.inFlight, 0)
    })
  )
})

describe("an app whose turns fill all the slots that it may use", () => {
  it.effect("does not block another app, whose turn starts before the waiting ones", () =>
    Effect.gen(function* () {
      const begun: Array<string> = []
      const answer = yield* Deferred.make<undefined>()
      const runner = yield* runnerWith({
        turns: {
          claim: (_, { appId, sessionId }) =>
            Effect.sync(() => {
              begun.push(`${appId} ${sessionId}`)
            }).pipe(Effect.andThen(Deferred.await(answer)))
        }
      })
      yield* Effect.addFinalizer(() => Deferred.succeed(answer, undefined))
      const flood = Array.from({ length: 600 }, (_, n) => ({ appId: "app_loud", sessionId: `ses_${n}` }))
      yield* runner.wake(flood)
      yield* Effect.yieldNow
      assert.lengthOf(begun, MAX_IN_FLIGHT)
      yield* runner.wake([{ appId: "app_quiet", sessionId: "ses_1" }])
      yield* Effect.yieldNow
      assert.deepStrictEqual(begun.slice(MAX_IN_FLIGHT), ["app_quiet ses_1"])
      assert.deepStrictEqual(yield* runner.waitingApps, ["app_loud"])
      yield* Deferred.succeed(answer, undefined)
      yield* runner.idle
    })
  )

  it.effect("has surplus turns delayed, and holds a session once however often it is woken", () =>
    Effect.gen(function* () {
      const putOff: Array<string> = []
      const answer = yield* Deferred.make<undefined>()
      const runner = yield* runnerWith({
        turns: {
          claim: () => Deferred.await(answer),
          postpone: (sessions) =>
            Effect.sync(() => {
              putOff.push(...sessions.map(({ sessionId }) => sessionId))
            })
        }
      })
      yield* Effect.addFinalizer(() => Deferred.succeed(answer, undefined))
      const flood = Array.from({ length: MAX_IN_FLIGHT + MAX_WAITING }, (_, n) => ({
        appId: "app_loud",
        sessionId: `ses_${n}`
      }))
      for (const some of [flood.slice(0, MAX_IN_FLIGHT), flood.slice(MAX_IN_FLIGHT), flood.slice(MAX_IN_FLIGHT)]) {
        yield* runner.wake(some)
        yield* Effect.yieldNow
      }
      assert.deepStrictEqual(putOff, [])
      yield* runner.wake([{ appId: "app_loud", sessionId: "ses_late" }])
      assert.deepStrictEqual(putOff, ["ses_late"])
      yield* Deferred.succeed(answer, undefined)
      yield* runner.idle
    })
  )
})

describe("a turn that the person has stopped", () => {
  const outcomes: Array<string> = []
  const settle = ({ lease, outcome, stages }: Settlement) =>
    Effect.sync(() => {
      outcomes.push(
        `${lease.turnIndex} ${outcome._tag} ${Outcome.guards.Withheld(outcome) ? outcome.by : ""} ${stages.length}`
      )
      return { _tag: "Settled" as const, openTurns: 0 }
    })

  it.effect("is interrupted while it runs, and its cost is recorded", () =>
    Effect.gen(function* () {
      const [begun, brokenOff] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const runner = yield* runnerWith({
        turns: {
          claim: () => Effect.succeed(row),
          settle,
          heldBy: () => Effect.succeed([{ ...lease, stopped: true }])
        },
        run: (_, trace) =>
          trace.stage(
            "generation",
            Deferred.succeed(begun, undefined).pipe(
              Effect.andThen(Effect.never),
              Effect.onInterrupt(() => Deferred.succeed(brokenOff, undefined))
            )
          )
      })
      const drain = yield* Effect.forkChild(runner.drain(session))
      yield* Deferred.await(begun)
      yield* runner.reconcile
      yield* Fiber.join(drain)
      assert.isTrue(yield* Deferred.isDone(brokenOff))
      assert.deepStrictEqual(outcomes.splice(0), ["1 Withheld stopped 1"])
    })
  )

  it.effect("is not started if it is still waiting", () =>
    Effect.gen(function* () {
      const runner = yield* runnerWith({ turns: { claim: () => Effect.succeed({ ...row, stopped: true }), settle } })
      yield* runner.drain(session)
      assert.deepStrictEqual(outcomes.splice(0), ["1 Withheld stopped 0"])
    })
  )
})

describe("a worker that is asked to stop", () => {
  it.effect("finishes the running turn, and claims no other of its session", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const finish = yield* Deferred.make<void>()
      const settled: Array<string> = []
      const runner = yield* runnerWith({
        turns: {
          claim: () => Effect.succeed({ ...row, turn_index: settled.length + 1 }),
          settle: ({ outcome }) =>
            Effect.sync(() => {
              settled.push(outcome._tag)
              return { _tag: "Settled" as const, openTurns: 3 }
            })
        },
        run: () =>
          Deferred.succeed(begun, undefined).pipe(
            Effect.andThen(Deferred.await(finish)),
            Effect.as(Outcome.cases.Replied.make({ bubbles: ["Yes."] }))
          )
      })
      const drain = yield* Effect.forkChild(runner.drain(session))
      yield* Deferred.await(begun)
      yield* runner.close
      yield* Deferred.succeed(finish, undefined)
      yield* Fiber.join(drain)
      yield* runner.drain(session)
      assert.deepStrictEqual(settled, ["Replied"])
    })
  )
})

describe("a reply that the database rejects", () => {
  it.effect("fails the turn, which is still charged for its cost", () =>
    Effect.gen(function* () {
      const usage = {
        model: "m",
        inputTokens: 1,
        cachedInputTokens: 0,
        outputTokens: 1,
        costMicroUsd: 7,
        estimated: false
      }
      const settled: Array<Settlement> = []
      const runner = yield* runnerWith({
        turns: {
          claim: () => Effect.succeed(settled.length === 0 ? row : undefined),
          settle: (settlement) =>
            Effect.suspend(() =>
              settled.push(settlement) === 1
                ? Effect.fail(new DatabaseError({ reason: "refused", sqlState: "22P05", cause: "untranslatable" }))
                : Effect.succeed({ _tag: "Settled" as const, openTurns: 0 })
            )
        },
        run: (_, trace) =>
          trace
            .paidStage(
              "generation",
              () => Effect.succeed(usage),
              (usage) => ({ usage })
            )
            .pipe(Effect.as(Outcome.cases.Replied.make({ bubbles: ["?"] })))
      })
      yield* runner.drain(session)
      const costs = (stages: ReadonlyArray<StageRecord>) => stages.map(({ usage }) => usage?.costMicroUsd)
      assert.deepStrictEqual(
        settled.map(({ outcome, stages }) => [outcome._tag, costs(stages)]),
        [
          ["Replied", [7]],
          ["Failed", [7]]
        ]
      )
    })
  )
})

describe("a delayed turn", () => {
  const slow = characterOf({
    slug: "mara",
    display_name: "Mara",
    life_rhythm: { reply_delay_seconds: { min: 40, max: 90 } }
  })
  const runs = Effect.fnUntraced(function* (given: Partial<ClaimRow>, character: Character = slow) {
    const deferred: Array<number> = []
    const settled: Array<string> = []
    const runner = yield* runnerWith({
      character,
      turns: {
        claim: () => Effect.succeed(settled.length + deferred.length === 0 ? { ...row, ...given } : undefined),
        defer: (_, dueAt) =>
          Effect.sync(() => {
            deferred.push(dueAt.getTime())
          }),
        settle: ({ outcome }) =>
          Effect.sync(() => {
            settled.push(outcome._tag)
            return { _tag: "Settled" as const, openTurns: 0 }
          })
      },
      run: () => Effect.succeed(Outcome.cases.Withheld.make({}))
    })
    yield* runner.drain(session)
    return { deferred, settled }
  })

  it.effect("of a character with a reply delay waits for a time within its bounds, the same for the same turn", () =>
    Effect.gen(function* () {
      const { deferred, settled } = yield* runs({})
      assert.deepStrictEqual(settled, [])
      assert.isTrue(deferred.length === 1 && (deferred[0] ?? 0) >= 40_000 && (deferred[0] ?? 0) <= 90_000)
      assert.deepStrictEqual((yield* runs({})).deferred, deferred)
      assert.notDeepEqual((yield* runs({ turn_index: 2 })).deferred, deferred)
    })
  )

  it.effect("runs at once if the message has already waited that long, or was delayed before", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* runs({ deferred: true }), { deferred: [], settled: ["Withheld"] })
      assert.deepStrictEqual(yield* runs({ accepted_at: new Date(-90_000) }), { deferred: [], settled: ["Withheld"] })
    })
  )

  it.effect(
    "with a simulated stall waits without occupying a slot, for the stall and the character's reply delay",
    () =>
      Effect.gen(function* () {
        const stalled = { fault: "stall", accepted_at: new Date(-90_000) } as const
        assert.deepStrictEqual(yield* runs(stalled, plainCharacter), { deferred: [30_000], settled: [] })
        assert.deepStrictEqual(yield* runs({ ...stalled, deferred: true }, plainCharacter), {
          deferred: [],
          settled: ["Withheld"]
        })
        const [dueAt = 0] = (yield* runs({ fault: "stall" })).deferred
        assert.isTrue(dueAt >= 70_000 && dueAt <= 120_000)
      })
  )
})
