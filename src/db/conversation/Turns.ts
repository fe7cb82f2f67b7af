import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import type { NewEvent } from "#pipeline/domain/Event.ts"
import type { Initiative } from "#pipeline/domain/Initiative.ts"
import { newId } from "#pipeline/domain/Id.ts"
import type { Outcome, StageRecord } from "#pipeline/domain/Turn.ts"
import { reportedIn } from "#pipeline/safety/reported.ts"
import { Prices } from "#src/model/prices.ts"
import { lockSessions, lockAllowances } from "#src/db/billing/moneyStatements.ts"
import { Database, type DatabaseError, type Sql, toDatabaseError } from "#src/db/postgres/Database.ts"
import { groupCommit } from "#src/db/postgres/GroupCommit.ts"
import { moveHeads } from "#src/db/delivery/moveHeads.ts"
import { countReported, type Reported } from "./safetyCounts.ts"
import { isShadow } from "#src/db/tenancy/shadow.ts"
import { addReadingJobs, addTurnJobs, putOffTurns } from "./turnJobs.ts"
import { type ClaimRow, claimTurns } from "./claimTurns.ts"
import { askForPictures, type TurnPicture } from "./turnPictures.ts"
import {
  findSettled,
  type SettleColumns,
  settleBehindExit,
  type SettleRow,
  type Spending,
  writeDeferred,
  writeSettled,
  writeSpent
} from "./turnStatements.ts"

export interface SessionRef {
  readonly appId: string
  readonly sessionId: string
}

/** A claimed turn: whoever shows this owner and fence may settle it. */
export interface Lease extends SessionRef {
  readonly turnIndex: number
  readonly owner: string
  readonly fence: number
}

export interface Settlement {
  readonly lease: Lease
  /** Where the turn answers nobody. */
  readonly initiative?: Initiative | null
  readonly outcome: Outcome
  readonly stages: ReadonlyArray<StageRecord>
}

/**
 * `Taken`: the lease was lost, so nothing was written. Otherwise the turn is settled, now or by an earlier try; and how
 * many still wait in the session.
 */
export type Settled = { readonly _tag: "Settled"; readonly openTurns: number } | { readonly _tag: "Taken" }

const OUTCOME_NAME = { Replied: "replied", Withheld: "withheld", Exited: "exited", Failed: "failed" } as const

/**
 * What a turn that answers nobody puts on the log: its words, or nothing. Its failure is nobody's concern who reads
 * along.
 */
const initiatedBy = (outcome: Outcome, { reason }: Initiative): ReadonlyArray<NewEvent> =>
  outcome._tag !== "Replied"
    ? []
    : [
        {
          type: "character.initiated",
          role: "character",
          payload: { text: outcome.bubbles.join("\n"), bubbles: outcome.bubbles, kind: "proactive", reason }
        }
      ]

const eventsOf = (outcome: Outcome, turnIndex: number): ReadonlyArray<NewEvent> => {
  const said = (bubbles: ReadonlyArray<string>): ReadonlyArray<NewEvent> =>
    bubbles.length === 0
      ? []
      : [
          {
            type: "message.created",
            role: "character",
            payload: { text: bubbles.join("\n"), bubbles, turn_index: turnIndex }
          }
        ]
  switch (outcome._tag) {
    case "Replied":
      return said(outcome.bubbles)
    case "Withheld":
      return []
    case "Exited":
      return [
        ...said(outcome.bubbles),
        { type: "session.exited", role: "system", payload: { reason_code: outcome.reasonCode } }
      ]
    case "Failed":
      return [
        {
          type: "message.failed",
          role: "system",
          payload: { turn_index: turnIndex, reason: outcome.reason, recoverable: true }
        }
      ]
  }
}

/** A stage row of the turn at place `n` of its batch, for `trace`. */
export const stageRow = (record: StageRecord, n: number, seq: number) => ({
  n,
  seq,
  stage: record.stage,
  attempt: record.attempt,
  started_at: record.startedAt.toISOString(),
  latency_ms: record.latencyMs,
  status: record.status,
  decision: record.decision,
  error_code: record.errorCode,
  detail: record.detail,
  model: record.usage?.model,
  input_tokens: record.usage?.inputTokens,
  cached_input_tokens: record.usage?.cachedInputTokens,
  output_tokens: record.usage?.outputTokens,
  cost_micro_usd: record.usage?.costMicroUsd,
  estimated: record.usage?.estimated,
  unpriced: record.usage?.unpriced
})

/** The picture of a reply, if it has one. */
const pictureOf = (settlement: Settlement | undefined): ReadonlyArray<TurnPicture> => {
  if (settlement === undefined || settlement.outcome._tag !== "Replied" || settlement.outcome.picture === undefined)
    return []
  const {
    lease: { appId, sessionId, turnIndex },
    outcome: { picture: wish }
  } = settlement
  return [{ app: appId, session: sessionId, turn: turnIndex, wish }]
}

/** What is counted of a turn for the reports of its app. */
const reportedOf = (settlement: Settlement | undefined): ReadonlyArray<Reported> =>
  settlement === undefined || isShadow(settlement.lease.appId)
    ? []
    : reportedIn(settlement.outcome, settlement.stages).map((kind) => ({ appId: settlement.lease.appId, kind }))

const costOf = (stages: ReadonlyArray<StageRecord>) =>
  stages.reduce((sum, stage) => sum + (stage.usage?.costMicroUsd ?? 0), 0)

const toSpending = (lease: Lease, stages: ReadonlyArray<StageRecord>): Spending => ({
  app: lease.appId,
  session: lease.sessionId,
  turn: lease.turnIndex,
  owner: lease.owner,
  fence: lease.fence,
  cost: costOf(stages),
  stageCount: stages.length,
  stages: JSON.stringify(stages.map((record, seq) => stageRow(record, 1, seq)))
})

const toColumns = (batch: ReadonlyArray<Settlement>): SettleColumns => {
  const events = batch.flatMap(({ lease, outcome, initiative = null }, index) =>
    (initiative === null ? eventsOf(outcome, lease.turnIndex) : initiatedBy(outcome, initiative)).map(
      (event, place) => ({ of: index + 1, offset: place + 1, event })
    )
  )
  return {
    app: batch.map(({ lease }) => lease.appId),
    session: batch.map(({ lease }) => lease.sessionId),
    turn: batch.map(({ lease }) => lease.turnIndex),
    owner: batch.map(({ lease }) => lease.owner),
    fence: batch.map(({ lease }) => lease.fence),
    outcome: batch.map(({ outcome }) => OUTCOME_NAME[outcome._tag]),
    reason: batch.map(({ outcome }) =>
      outcome._tag === "Failed" ? outcome.reason : outcome._tag === "Withheld" ? (outcome.by ?? null) : null
    ),
    cost: batch.map(({ stages }) => costOf(stages)),
    stageCount: batch.map(({ stages }) => stages.length),
    events: {
      of: events.map((entry) => entry.of),
      offset: events.map((entry) => entry.offset),
      id: events.map(() => newId("evt")),
      type: events.map(({ event }) => event.type),
      role: events.map(({ event }) => event.role),
      payload: events.map(({ event }) => JSON.stringify(event.payload))
    },
    stages: JSON.stringify(
      batch.flatMap(({ stages }, index) => stages.map((record, seq) => stageRow(record, index + 1, seq)))
    )
  }
}

/**
 * The queue of user turns. A turn waits (no owner), is claimed (owner and a new fence), and is settled once (outcome);
 * a claimed one whose owner dies is freed and waits again.
 */
export class Turns extends Context.Service<
  Turns,
  {
    /** The oldest unsettled turn of the session, if it is free and due. Concurrent claims travel together. */
    readonly claim: (owner: string, session: SessionRef) => Effect.Effect<ClaimRow | undefined, DatabaseError>
    /** The terminal write. Concurrent settlements travel together. */
    readonly settle: (settlement: Settlement) => Effect.Effect<Settled, DatabaseError>
    /** The turns that this worker holds, by the table; and which of them are to be stopped. */
    readonly heldBy: (
      owner: string
    ) => Effect.Effect<ReadonlyArray<Lease & { readonly stopped: boolean }>, DatabaseError>
    /**
     * The person wants no answer to what they have said: the turn that is being answered, or waits first in line, comes
     * to nothing.
     */
    readonly stop: (session: SessionRef) => Effect.Effect<void, DatabaseError>
    /**
     * Books what the attempt has cost so far, unless the lease was lost. Meant for calls that more will follow: the
     * last is booked by whatever ends the attempt.
     */
    readonly book: (lease: Lease, stages: ReadonlyArray<StageRecord>) => Effect.Effect<void, DatabaseError>
    /** Puts a claimed turn off until then: the author's delay, applied once. */
    readonly defer: (lease: Lease, dueAt: Date) => Effect.Effect<void, DatabaseError>
    /** Gives a claimed turn back, books what the attempt has cost, and asks for another worker. */
    readonly release: (lease: Lease, stages: ReadonlyArray<StageRecord>) => Effect.Effect<void, DatabaseError>
    /**
     * Has these sessions looked at in a while, by whichever process has room. Concurrent calls travel together, and
     * share jobs.
     */
    readonly putOff: (sessions: ReadonlyArray<SessionRef>) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/conversation/Turns") {
  static readonly layer = Layer.effect(
    Turns,
    Effect.gen(function* () {
      const { pool, query } = yield* Database
      const { version } = yield* Prices
      const signals = yield* LogSignals

      const claim = groupCommit<SessionRef & { readonly owner: string }, ClaimRow | undefined>({
        maxBatch: 64,
        inFlight: 2,
        appOf: ({ appId }) => appId,
        run: async (batch) => {
          // A batch has two owners when the process has registered anew in between.
          const rows = new Map<string, ClaimRow>()
          for (const [owner, wanted] of Map.groupBy(batch, ({ owner }) => owner)) {
            for (const row of await claimTurns(
              pool,
              owner,
              wanted.map((w) => w.appId),
              wanted.map((w) => w.sessionId)
            ))
              rows.set(`${owner} ${row.session_id}`, row)
          }
          // Two wake-ups of one session in a batch: the first gets the turn.
          return batch.map((wanted) => {
            const name = `${wanted.owner} ${wanted.sessionId}`
            const row = rows.get(name)
            rows.delete(name)
            return row
          })
        }
      })

      const settle = groupCommit<Settlement, Settled>({
        maxBatch: 64,
        inFlight: 2,
        appOf: ({ lease }) => lease.appId,
        run: async (batch) => {
          const columns = toColumns(batch)
          const { rows, pushed } = await pool.begin(async (sql) => {
            const [, , rows, moved] = await Promise.all([
              lockAllowances(sql, columns.app, columns.session),
              lockSessions(sql, columns.app, columns.session),
              writeSettled(sql, columns, version),
              moveHeads(sql, columns.app, columns.session)
            ])
            if (rows.length > 0)
              await sql`select ${addReadingJobs(
                sql,
                rows.map((row) => columns.app[row.n - 1] ?? ""),
                rows.map((row) => row.session_id)
              )}`
            const pictures = rows.flatMap(({ n }) => pictureOf(batch[n - 1]))
            if (pictures.length > 0) await askForPictures(sql, pictures)
            const exits = batch.filter(({ outcome }) => outcome._tag === "Exited").map(({ lease }) => lease)
            if (exits.length > 0)
              await settleBehindExit(
                sql,
                exits.map((lease) => lease.appId),
                exits.map((lease) => lease.sessionId)
              )
            const reported = rows.flatMap(({ n, as_meant }) => (as_meant ? reportedOf(batch[n - 1]) : []))
            if (reported.length > 0) await countReported(sql, reported)
            return {
              rows: rows.length === batch.length ? rows : [...(await findSettled(sql, columns)), ...rows],
              pushed: moved.length > 0
            }
          })
          signals.announce(
            rows.map((row) => ({ sessionId: row.session_id, cursor: row.last_cursor })),
            pushed
          )
          const byPlace = new Map<number, SettleRow>(rows.map((row) => [row.n, row]))
          return batch.map((_, index): Settled => {
            const row = byPlace.get(index + 1)
            return row === undefined ? { _tag: "Taken" } : { _tag: "Settled", openTurns: row.open_turns }
          })
        }
      })

      const putOff = groupCommit<ReadonlyArray<SessionRef>, void>({
        maxBatch: 64,
        inFlight: 1,
        run: async (batch) => {
          const sessions = batch.flat()
          await pool`select ${putOffTurns(
            pool,
            sessions.map(({ appId }) => appId),
            sessions.map(({ sessionId }) => sessionId)
          )}`
          return batch.map(() => undefined)
        }
      })

      const heldBy = (owner: string) =>
        query<Array<{ app_id: string; session_id: string; turn_index: number; fence: number; stopped: boolean }>>(
          (sql) => sql`
        select app_id, session_id, turn_index, fence, stopped from turns where outcome is null and owner = ${owner}`
        ).pipe(
          Effect.map((rows) =>
            rows.map((row) => ({
              appId: row.app_id,
              sessionId: row.session_id,
              turnIndex: row.turn_index,
              owner,
              fence: row.fence,
              stopped: row.stopped
            }))
          )
        )

      const stop = ({ appId, sessionId }: SessionRef) =>
        Effect.asVoid(
          query(
            (sql) => sql`
      with stopped as (
        update turns t set stopped = true, due_at = least(t.due_at, now()) from (
          select turn_index from turns where app_id =
            ${appId} and session_id = ${sessionId} and outcome is null order by turn_index limit 1
        ) o where t.app_id = ${appId} and t.session_id =
          ${sessionId} and t.turn_index = o.turn_index and t.outcome is null and t.initiative is null
            returning t.app_id, t.session_id
      )
      select ${addTurnJobs(sql, sql`select * from stopped`)}`
          )
        )

      const spend = (lease: Lease, stages: ReadonlyArray<StageRecord>, free: boolean) => (sql: Sql) =>
        Promise.all([
          lockAllowances(sql, [lease.appId], [lease.sessionId]),
          lockSessions(sql, [lease.appId], [lease.sessionId]),
          writeSpent(sql, toSpending(lease, stages), free, version)
        ])
      const attempt = <A>(work: (sql: Sql) => Promise<A>) =>
        Effect.tryPromise({ try: () => pool.begin(work), catch: toDatabaseError })

      const book = (lease: Lease, stages: ReadonlyArray<StageRecord>) =>
        Effect.asVoid(attempt(spend(lease, stages, false)))
      const defer = (lease: Lease, dueAt: Date) =>
        Effect.asVoid(
          query((sql) =>
            writeDeferred(sql, lease.appId, lease.sessionId, lease.turnIndex, lease.owner, lease.fence, dueAt)
          )
        )
      const release = (lease: Lease, stages: ReadonlyArray<StageRecord>) =>
        Effect.asVoid(
          attempt(async (sql) => {
            const [, , freed] = await spend(lease, stages, true)(sql)
            if (freed.length > 0)
              await sql`select ${addTurnJobs(
                sql,
                sql`select
                ${lease.appId}::text as app_id, ${lease.sessionId}::text as session_id`
              )}`
          })
        )

      return Turns.of({
        claim: (owner, session) => claim({ ...session, owner }),
        settle,
        book,
        heldBy,
        stop,
        defer,
        release,
        putOff
      })
    })
  )
}
