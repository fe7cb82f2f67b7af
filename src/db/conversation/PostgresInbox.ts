import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Payload } from "#pipeline/domain/Event.ts"
import { isReferred } from "#pipeline/domain/referred.ts"
import { newId } from "#pipeline/domain/Id.ts"
import { clockSeconds, countersBy, histogram, QUICK_SECONDS } from "#pipeline/telemetry/metric.ts"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import { Prices } from "#src/model/prices.ts"
import type { Reserve } from "#src/model/reservation.ts"
import { currentTraceparent } from "#pipeline/telemetry/trace.ts"
import { type Accepted, type InboundMessage, Inbox, InboxUnavailable, Refused } from "#pipeline/Inbox.ts"
import {
  type AcceptColumns,
  type AcceptedRow,
  findAccepted,
  findReplay,
  type RefusedRow,
  type RepeatRow,
  type ReplayRow,
  writeAccepted
} from "./acceptStatements.ts"
import { Database, type Sql } from "#src/db/postgres/Database.ts"
import { AppIsMoving } from "#src/db/tenancy/AppIsMoving.ts"
import { groupCommit } from "#src/db/postgres/GroupCommit.ts"
import { lockForSends } from "#src/db/billing/moneyStatements.ts"
import { advanceLaneHeads } from "#src/db/delivery/advanceLaneHeads.ts"
import { refusedBudgets } from "./refusedBudgets.ts"

const acceptSeconds = histogram(
  "troupe_accept_seconds",
  "Time to accept a message: from its arrival in a batch to the end of its transaction",
  QUICK_SECONDS
)
const batchRows = histogram(
  "troupe_accept_batch_rows",
  "Messages that were accepted or refused in one transaction",
  [1, 2, 4, 8, 16, 32, 64]
)
const refusals = countersBy("troupe_accept_refusals_total", "Messages that were not accepted, by reason", "reason")

interface Send extends InboundMessage {
  readonly runRef: string
  readonly saidId: string
  readonly statusId: string | null
  readonly traceparent: string | null
}

/** The result of a batch, and whether lanes have something to deliver. */
interface Written {
  readonly rows: ReadonlyArray<Verdict>
  readonly pushed: boolean
}

/** Short compared to a transaction of a large batch, and it lets half as many more sends join. */
const GATHER_MS = 3

/** The index of the first send in the batch with the same key. */
const firstOf = (batch: ReadonlyArray<Send>, send: Send): number =>
  batch.findIndex(
    (other) =>
      other.clientMessageId === send.clientMessageId && other.sessionId === send.sessionId && other.appId === send.appId
  )

/** What prompts hold of a message: its text, and what it quotes or forwards. */
const wordsOf = ({ text, parts = [] }: Send): string => {
  const referred = parts.filter(isReferred)
  return referred.length === 0 ? text : `${text}${JSON.stringify(referred)}`
}

const toColumns = (batch: ReadonlyArray<Send>, reserve: Reserve): AcceptColumns => {
  const reserved = batch.map((send) => reserve(send.replyMode, wordsOf(send)))
  const echo = (send: Send) => (send.clientMessageId === null ? {} : { client_message_id: send.clientMessageId })
  const said = (send: Send): Payload<"message.created"> => ({
    text: send.text,
    bubbles: [send.text],
    ...echo(send),
    ...(send.parts !== undefined && { parts: send.parts })
  })
  const status = (send: Send): Payload<"run.status"> => ({ status: "generating", run_ref: send.runRef, ...echo(send) })
  return {
    app: batch.map((send) => send.appId),
    session: batch.map((send) => send.sessionId),
    key: batch.map((send) => send.clientMessageId),
    mode: batch.map((send) => send.replyMode),
    source: batch.map((send) => send.source),
    reservation: reserved.map(({ turn }) => turn),
    extractionReservation: reserved.map(({ reading }) => reading),
    perCharacterMegabyte: reserved.map(({ perCharacterMegabyte }) => perCharacterMegabyte),
    fault: batch.map((send) => send.fault ?? null),
    run: batch.map((send) => send.runRef),
    saidId: batch.map((send) => send.saidId),
    said: batch.map((send) => JSON.stringify(said(send))),
    statusId: batch.map((send) => send.statusId),
    status: batch.map((send) => (send.statusId === null ? null : JSON.stringify(status(send)))),
    traceparent: batch.map((send) => send.traceparent),
    repeated: batch.map((send, index) => (send.clientMessageId !== null && firstOf(batch, send) < index ? 1 : 0))
  }
}

type Verdict = AcceptedRow | RefusedRow

const LIMITS: ReadonlySet<Verdict["answer"] | undefined> = new Set([
  "message_limit_reached",
  "budget_exceeded",
  "end_user_cap_exceeded"
])

const fillRepeats = (batch: ReadonlyArray<Send>, rows: ReadonlyArray<Verdict | RepeatRow>): ReadonlyArray<Verdict> =>
  rows.map((row, index) => {
    if (row.answer !== "repeat") return row
    const first = rows[firstOf(batch, batch[index] as Send)]
    if (first === undefined || first.answer === "repeat") throw new Error("a send is a repeat of none")
    return first.answer === "accepted" ? { ...first, answer: "replay" as const } : first
  })

const toAccepted = (row: ReplayRow): Accepted => ({
  cursor: row.cursor,
  turnIndex: row.turn_index,
  runRef: row.run_ref,
  replyMode: row.reply_mode,
  replayed: row.answer === "replay"
})
const toResult = (row: Verdict): Effect.Effect<Accepted, Refused | InboxUnavailable> => {
  if (row.answer === "accepted" || row.answer === "replay") return Effect.succeed(toAccepted(row))
  return row.answer === "app_moves"
    ? Effect.fail(new InboxUnavailable({ cause: new AppIsMoving() }))
    : Effect.fail(new Refused({ reason: row.answer }))
}

/**
 * Accepts user messages by group commit: concurrent sends become one transaction. A turn's reservation counts towards
 * the limits of its app and end-user until the turn has ended and extraction is done.
 */
export const layer = ({ reserve }: { readonly reserve: Reserve }) =>
  Layer.effect(
    Inbox,
    Effect.gen(function* () {
      const { pool, query } = yield* Database
      const { version } = yield* Prices
      const signals = yield* LogSignals

      const noteRefused = refusedBudgets(pool)

      const announce = (batch: ReadonlyArray<Send>, { rows, pushed }: Written) =>
        signals.announce(
          rows.flatMap((row, index) => {
            const appId = batch[index]?.appId
            return row.answer === "accepted" && appId !== undefined
              ? [{ appId, sessionId: row.session_id, cursor: row.last_cursor }]
              : []
          }),
          pushed
        )

      const write = async (sql: Sql, batch: ReadonlyArray<Send>): Promise<Written> => {
        const columns = toColumns(batch, reserve)
        const limited = await lockForSends(sql, columns.app, columns.session)
        const [rows, moved] = await Promise.all([
          writeAccepted(sql, columns, limited, version),
          advanceLaneHeads(sql, columns.app, columns.session)
        ])
        return { rows: fillRepeats(batch, rows), pushed: moved.length > 0 }
      }
      const run = async (batch: ReadonlyArray<Send>) => {
        const written = await pool.begin((sql) => write(sql, batch))
        batchRows.record(batch.length)
        announce(batch, written)
        const { rows } = written
        const hold = (index: number) => rows[index]?.hold_micro_usd ?? 0
        // Limits are summed over the batch in order, including refused sends. So a send is retried if it was refused
        // only because an earlier one was counted that was itself refused.
        const unfairly = (index: number) => {
          const reason = rows[index]?.answer
          return (
            LIMITS.has(reason) &&
            batch.slice(0, index).some((other, before) => {
              const answer = rows[before]?.answer
              return (
                other.appId === batch[index]?.appId &&
                (LIMITS.has(answer) || answer === "turn_queue_full") &&
                (answer !== reason || hold(before) > hold(index))
              )
            })
          )
        }
        return Promise.all(
          rows.map((row, index) => {
            const send = batch[index]
            return send !== undefined && unfairly(index) ? runAlone(send) : row
          })
        )
      }
      // The batch failed. If the connection broke during the commit, it is unknown whether it committed, so check
      // before writing again.
      const runAlone = async (send: Send) => {
        const written = await pool.begin(async (sql): Promise<Written> => {
          await lockForSends(sql, [send.appId], [send.sessionId])
          const found = await findAccepted(sql, send.appId, send.sessionId, send.runRef)
          return found.length > 0 ? { rows: found, pushed: true } : write(sql, [send])
        })
        announce([send], written)
        return written.rows[0] as Verdict
      }
      const submit = groupCommit({
        maxBatch: 64,
        inFlight: 2,
        gatherMs: GATHER_MS,
        appOf: ({ appId }) => appId,
        run,
        runAlone
      })

      const accept = Effect.fnUntraced(function* (message: InboundMessage) {
        const send = {
          ...message,
          runRef: newId("run"),
          saidId: newId("evt"),
          statusId: message.source === "api" ? newId("evt") : null,
          traceparent: yield* currentTraceparent
        }
        const startedAt = clockSeconds()
        const row = yield* submit(send).pipe(Effect.mapError((cause) => new InboxUnavailable({ cause })))
        acceptSeconds.record(clockSeconds() - startedAt)
        if (row.answer !== "accepted" && row.answer !== "replay") refusals(row.answer).add()
        if (row.answer === "budget_exceeded") noteRefused(send.appId)
        return yield* toResult(row)
      })
      return Inbox.of({
        accept,
        replay: ({ appId, sessionId, clientMessageId }) =>
          query<Array<ReplayRow>>((sql) => findReplay(sql, appId, sessionId, clientMessageId)).pipe(
            Effect.map(([row]) => (row === undefined ? undefined : toAccepted(row))),
            Effect.mapError((cause) => new InboxUnavailable({ cause }))
          )
      })
    })
  )
