import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { newId } from "#pipeline/domain/Id.ts"
import type { ProactiveBrief } from "#pipeline/domain/ProactiveBrief.ts"
import type { ControlSource, EffectiveControls } from "#pipeline/proactive/controls.ts"
import { isOn } from "#pipeline/proactive/controls.ts"
import {
  factsAfter,
  decide,
  type Decision,
  blockedMessages,
  type Eligibility,
  eligibilityOf
} from "#pipeline/proactive/decide.ts"
import { type GateName, blockedBy } from "#pipeline/proactive/gates.ts"
import { EMPTY_PATCH } from "#pipeline/relational/Patch.ts"
import { lockSessions, lockAllowances } from "#src/db/billing/moneyStatements.ts"
import { CharacterVersions } from "#src/db/character/CharacterVersions.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { makeGiveUpCheck } from "./giveUpCheck.ts"
import { makeListDecisions, type StoredDecision } from "./listDecisions.ts"
import { type Gathered, makeGatherFacts } from "./proactiveFacts.ts"
import { Prices } from "#src/model/prices.ts"
import type { Reserve } from "#src/model/reservation.ts"
import {
  type Batch,
  beginTurn,
  claimDue,
  leaveBatch,
  lockCaps,
  writeDecision,
  writeDue
} from "./proactiveStatements.ts"
import { attempt } from "#src/units/attempt.ts"
import { unitOf } from "#src/units/Unit.ts"
import { Relationships } from "#src/db/memory/Relationships.ts"
import { beginScheduled } from "./scheduleStatements.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"
import { OVERTAKEN } from "#src/db/conversation/settleStatements.ts"

export interface ProactiveState {
  readonly effective: EffectiveControls
  readonly sources: Readonly<Record<string, ControlSource>>
  readonly nextEligibleAt: Date | null
}

/** A decision, and the turn that it started. */
export interface Evaluation {
  readonly at: Date
  readonly decision: Decision
  readonly runRef: string | null
}

/** A proactive turn that began at `acceptedAt`. */
export interface BegunTurn extends SessionRef {
  readonly turnIndex: number
  readonly acceptedAt: Date
  readonly proactive: ProactiveBrief
}

/** How long a check of a session may take before another process takes it over. */
const LEASE_MS = 120_000

const isoOf = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())

/** Proactive messages: when sessions are due for a check, the decisions, and the turns that they start. */
export class ProactiveDecisions extends Context.Service<
  ProactiveDecisions,
  {
    /** A session's effective controls, and when its character may next write first. Undefined: no such session. */
    readonly stateOf: (session: SessionRef) => Effect.Effect<ProactiveState | undefined, DatabaseError>
    /** The decision for a given time. Writes nothing. */
    readonly evaluate: (session: SessionRef, at: Date | null) => Effect.Effect<Evaluation | undefined, DatabaseError>
    /** The session's due scheduled messages, each with the gate that blocks it. */
    readonly blockedMessages: (session: SessionRef) => Effect.Effect<ReadonlyMap<string, GateName>, DatabaseError>
    /** Decides for a given time and acts on the decision. */
    readonly decideAndAct: (
      session: SessionRef,
      at: Date | null
    ) => Effect.Effect<Evaluation | undefined, DatabaseError>
    /**
     * Takes up to `most` due sessions for a registered worker, and returns a decision effect for each, to run once, in
     * this order, `CHECKS_AT_ONCE` at a time. A session that has changed since then is left for a new check.
     */
    readonly takeDue: (
      owner: string,
      most: number
    ) => Effect.Effect<ReadonlyArray<Effect.Effect<void, DatabaseError>>, DatabaseError>
    /** What prevents a turn that has already begun. Null: nothing, the character may write. */
    readonly recheckGates: (turn: BegunTurn) => Effect.Effect<GateName | typeof OVERTAKEN | null, DatabaseError>
    /** Newest first, of one session or of all, those before `before`. */
    readonly list: (
      appId: string,
      filter: { readonly sessionId: string | null; readonly before: string | null; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<StoredDecision>, DatabaseError>
  }
>()("src/db/proactive/ProactiveDecisions") {
  static readonly layer = ({ reserve }: { readonly reserve: Reserve }) =>
    Layer.effect(
      ProactiveDecisions,
      Effect.gen(function* () {
        const database = yield* Database
        const { query, transaction } = database
        const relationships = yield* Relationships
        const gather = makeGatherFacts(database, yield* CharacterVersions, reserve)
        const { version } = yield* Prices
        const giveUp = makeGiveUpCheck(database)

        const stateOf = Effect.fnUntraced(function* (session: SessionRef) {
          const now = yield* Clock.currentTimeMillis
          const gathered = yield* gather(session, now)
          if (gathered === undefined) return undefined
          const { nextEligibleAt } = eligibilityOf(gathered.facts, now)
          return {
            effective: gathered.facts.controls,
            sources: gathered.sources,
            nextEligibleAt: nextEligibleAt === null ? null : new Date(nextEligibleAt)
          }
        })

        const evaluate = Effect.fnUntraced(function* (session: SessionRef, at: Date | null) {
          const now = at?.getTime() ?? (yield* Clock.currentTimeMillis)
          const gathered = yield* gather(session, now)
          return gathered === undefined
            ? undefined
            : { at: new Date(now), decision: decide(gathered.facts, now), runRef: null }
        })

        const blockedMessagesOf = Effect.fnUntraced(function* (session: SessionRef) {
          const now = yield* Clock.currentTimeMillis
          const gathered = yield* gather(session, now)
          return gathered === undefined ? new Map<string, GateName>() : blockedMessages(gathered.facts, now)
        })

        const begin = Effect.fnUntraced(function* (
          session: SessionRef,
          { facts, reservedMicroUsd }: Gathered,
          { candidate }: Decision,
          now: number,
          isTimeShifted: boolean
        ) {
          const runRef = newId("run")
          const { reason, loop, beat, scheduled } = candidate
          const brief: ProactiveBrief = {
            reason,
            about: loop?.text ?? beat?.summary ?? scheduled?.topic ?? null,
            ...(typeof scheduled?.text === "string" && { text: scheduled.text }),
            avoid: facts.preferences.topics_avoid,
            welcome: facts.preferences.topics_welcome,
            ...(facts.mood !== null && { mood: facts.mood.kind }),
            channels: facts.channels.map(({ kind }) => kind),
            ...(isTimeShifted && { as_of: new Date(now).toISOString() })
          }
          const [opened] = yield* query<Array<{ turn_index: number; jobs: number }>>((sql) =>
            beginTurn(sql, session, runRef, reservedMicroUsd, brief, version)
          )
          if (scheduled !== undefined && opened !== undefined)
            yield* query((sql) => beginScheduled(sql, session, scheduled.id, opened.turn_index))
          if (beat !== undefined)
            yield* query(
              (sql) =>
                sql`update storyline_steps set initiates = false
                  where app_id = ${session.appId} and session_id = ${session.sessionId} and initiates`
            )
          if (loop !== null) {
            const at = new Date(now)
            yield* relationships.amend(session, () =>
              Effect.succeed({
                at,
                patch: { ...EMPTY_PATCH, loops: [{ ...loop, status: "surfaced", updated_at: at.toISOString() }] }
              })
            )
          }
          return { runRef, turnIndex: opened?.turn_index ?? null }
        })

        /**
         * Decides under the locks of everything that is counted, so that the decision uses current values.
         * `batch`: only if the session is still due as it was when it was taken.
         */
        const decideOn = Effect.fnUntraced(function* (session: SessionRef, at: Date | null, batch: Batch | null) {
          const { appId, sessionId } = session
          const leasedUntil = batch?.until ?? null
          yield* query((sql) => lockCaps(sql, session))
          yield* query((sql) => lockAllowances(sql, [appId], [sessionId]))
          yield* query((sql) => lockSessions(sql, [appId], [sessionId]))
          const due = yield* query(
            (sql) => sql`
        select 1 from relationships where app_id =
          ${appId} and session_id = ${sessionId}
            and (${leasedUntil}::timestamptz is null or initiate_at = ${leasedUntil}::timestamptz) for no key update`
          )
          if (batch !== null && due.length === 0) {
            yield* query((sql) => leaveBatch(sql, session, batch))
            return undefined
          }
          const now = at?.getTime() ?? (yield* Clock.currentTimeMillis)
          const gathered = yield* gather(session, now)
          if (gathered === undefined) return undefined
          const decision = decide(gathered.facts, now)
          const begun = decision.send ? yield* begin(session, gathered, decision, now, at !== null) : null
          const next: Eligibility = decision.send
            ? eligibilityOf(factsAfter(gathered.facts, decision.candidate, now), now)
            : decision
          yield* query((sql) =>
            writeDecision(sql, session, {
              decisionId: newId("dec"),
              at: new Date(now).toISOString(),
              reason: decision.candidate.reason,
              skippedBy: decision.send ? null : decision.skippedBy,
              turnIndex: begun?.turnIndex ?? null,
              nextEligibleAt: isoOf(next.nextEligibleAt)
            })
          )
          // After simulated time travel, the actual time has to be checked as well.
          const dueAt =
            at !== null
              ? new Date(yield* Clock.currentTimeMillis).toISOString()
              : isOn(gathered.facts.controls) && gathered.facts.active
                ? (isoOf(next.nextEligibleAt) ?? "never")
                : "off"
          yield* query((sql) => writeDue(sql, session, dueAt, next.awaitsMessage))
          return { at: new Date(now), decision, runRef: begun?.runRef ?? null }
        }, transaction)

        const takeDue = Effect.fnUntraced(function* (owner: string, most: number) {
          const now = yield* Clock.currentTimeMillis
          const batch: Batch = { owner, until: new Date(now + LEASE_MS).toISOString() }
          const due = yield* query<Array<{ app_id: string; session_id: string }>>((sql) =>
            claimDue(sql, new Date(now).toISOString(), batch, most)
          )
          return due.map(({ app_id: appId, session_id: sessionId }) => {
            const session = { appId, sessionId }
            return attempt(
              unitOf("proactive", appId, sessionId),
              decideOn(session, null, batch),
              giveUp(session, batch)
            ).pipe(
              // It has ended, so it must not count as one that is being checked.
              Effect.tapError(() => Effect.ignore(query((sql) => leaveBatch(sql, session, batch)))),
              Effect.asVoid
            )
          })
        })

        const recheckGates = Effect.fnUntraced(function* (turn: BegunTurn) {
          const { turnIndex, acceptedAt, proactive } = turn
          const present = yield* Clock.currentTimeMillis
          const now =
            proactive.as_of === undefined
              ? present
              : Date.parse(proactive.as_of) + Math.max(0, present - acceptedAt.getTime())
          const gathered = yield* gather(turn, now, { turnIndex })
          if (gathered === undefined) return null
          if (gathered.turnCount > turnIndex) return OVERTAKEN
          return blockedBy(gathered.facts, { reason: proactive.reason, loop: null, from: 0 }, now)?.gate ?? null
        })

        return ProactiveDecisions.of({
          stateOf,
          evaluate,
          blockedMessages: blockedMessagesOf,
          decideAndAct: (session, at) => decideOn(session, at, null),
          takeDue,
          recheckGates,
          list: makeListDecisions(database)
        })
      })
    )
}
