import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import type { ProactiveBrief } from "#pipeline/domain/ProactiveBrief.ts"
import type { Outcome, StageRecord } from "#pipeline/domain/Turn.ts"
import { Database, type DatabaseError, type Sql, toDatabaseError } from "#src/db/postgres/Database.ts"
import { groupCommit } from "#src/db/postgres/GroupCommit.ts"
import { Prices } from "#src/model/prices.ts"
import { bookSpending } from "./bookSpending.ts"
import { claimTurnBatch, type WantedTurn } from "./claimTurnBatch.ts"
import type { ClaimRow } from "./claimTurns.ts"
import { writeDeferred } from "./deferTurn.ts"
import type { SettleRow } from "./settleStatements.ts"
import { settleTurns } from "./settleTurns.ts"
import { addTurnJobs, postponeTurns } from "./turnJobs.ts"

export interface SessionRef {
  readonly appId: string
  readonly sessionId: string
}

/** A claimed turn. The holder of this owner and fence may settle it. */
export interface Lease extends SessionRef {
  readonly turnIndex: number
  readonly owner: string
  readonly fence: number
}

export interface Settlement {
  readonly lease: Lease
  /** Set if the turn answers no message. */
  readonly proactive?: ProactiveBrief | null
  readonly outcome: Outcome
  readonly stages: ReadonlyArray<StageRecord>
}

/**
 * `Taken`: the lease was lost and nothing was written. `Settled`: the turn is settled, now or by an earlier try.
 * `openTurns` still wait in the session.
 */
export type Settled = { readonly _tag: "Settled"; readonly openTurns: number } | { readonly _tag: "Taken" }

/**
 * The queue of user turns. A turn waits (no owner), is claimed (owner and a new fence), and is settled once (outcome).
 * If the owner of a claimed turn dies, the turn is released and waits again.
 */
export class Turns extends Context.Service<
  Turns,
  {
    /** Claims the oldest unsettled turn of the session if it is unclaimed and due. Concurrent claims are batched. */
    readonly claim: (owner: string, session: SessionRef) => Effect.Effect<ClaimRow | undefined, DatabaseError>
    /** The final write of a turn. Concurrent settlements are batched. */
    readonly settle: (settlement: Settlement) => Effect.Effect<Settled, DatabaseError>
    /** The turns that this worker holds according to the table, and which of them should be stopped. */
    readonly heldBy: (
      owner: string
    ) => Effect.Effect<ReadonlyArray<Lease & { readonly stopped: boolean }>, DatabaseError>
    /**
     * The person wants no answer to their last message: stops the turn that is being answered, or else the next in the
     * queue.
     */
    readonly stop: (session: SessionRef) => Effect.Effect<void, DatabaseError>
    /**
     * Books the attempt's cost so far, unless the lease was lost. Only for calls that others will follow: whatever ends
     * the attempt books the last one.
     */
    readonly book: (lease: Lease, stages: ReadonlyArray<StageRecord>) => Effect.Effect<void, DatabaseError>
    /** Postpones a claimed turn until then: the author's reply delay, applied once. */
    readonly defer: (lease: Lease, dueAt: Date) => Effect.Effect<void, DatabaseError>
    /** Releases a claimed turn, books the attempt's cost, and requests another worker. */
    readonly release: (lease: Lease, stages: ReadonlyArray<StageRecord>) => Effect.Effect<void, DatabaseError>
    /** Schedules these sessions for later, in any process with room. Concurrent calls are batched, and share jobs. */
    readonly postpone: (sessions: ReadonlyArray<SessionRef>) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/conversation/Turns") {
  static readonly layer = Layer.effect(
    Turns,
    Effect.gen(function* () {
      const { pool, query } = yield* Database
      const { version } = yield* Prices
      const signals = yield* LogSignals

      const claim = groupCommit<WantedTurn, ClaimRow | undefined>({
        maxBatch: 64,
        inFlight: 2,
        appOf: ({ appId }) => appId,
        run: (batch) => claimTurnBatch(pool, batch)
      })

      const settle = groupCommit<Settlement, Settled>({
        maxBatch: 64,
        inFlight: 2,
        appOf: ({ lease }) => lease.appId,
        run: async (batch) => {
          const { rows, pushed } = await settleTurns(pool, batch, version)
          signals.announce(
            rows.map((row) => ({
              appId: batch[row.n - 1]?.lease.appId ?? "",
              sessionId: row.session_id,
              cursor: row.last_cursor
            })),
            pushed
          )
          const byNumber = new Map<number, SettleRow>(rows.map((row) => [row.n, row]))
          return batch.map((_, index): Settled => {
            const row = byNumber.get(index + 1)
            return row === undefined ? { _tag: "Taken" } : { _tag: "Settled", openTurns: row.open_turns }
          })
        }
      })

      const postpone = groupCommit<ReadonlyArray<SessionRef>, void>({
        maxBatch: 64,
        inFlight: 1,
        run: async (batch) => {
          const sessions = batch.flat()
          await pool`select ${postponeTurns(
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

      const attempt = <A>(work: (sql: Sql) => Promise<A>) =>
        Effect.tryPromise({ try: () => pool.begin(work), catch: toDatabaseError })

      const book = (lease: Lease, stages: ReadonlyArray<StageRecord>) =>
        Effect.asVoid(attempt((sql) => bookSpending(sql, lease, stages, false, version)))
      const defer = (lease: Lease, dueAt: Date) =>
        Effect.asVoid(
          query((sql) =>
            writeDeferred(sql, lease.appId, lease.sessionId, lease.turnIndex, lease.owner, lease.fence, dueAt)
          )
        )
      const release = (lease: Lease, stages: ReadonlyArray<StageRecord>) =>
        Effect.asVoid(
          attempt(async (sql) => {
            const freed = await bookSpending(sql, lease, stages, true, version)
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
        postpone
      })
    })
  )
}
