import * as Effect from "effect/Effect"
import type { OperationalNews } from "#channels/OperationalLog.ts"
import { Alignment } from "#src/db/delivery/Alignment.ts"
import { appendOperational } from "#src/db/delivery/appendOperational.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { inTransaction } from "#src/db/postgres/inTransaction.ts"
import { requeueUpdates } from "../resumeBots.ts"
import type { BotStatus } from "./StoredBot.ts"

export interface StatusChange {
  readonly status: BotStatus
  readonly reason: string | null
  readonly from: ReadonlyArray<BotStatus>
  /** Only if the bot still has this token. It may have got another one in the meantime. */
  readonly tokenVersion?: number
  /** The event for the app. Null: none. */
  readonly event: OperationalNews | null
}

/** The reason of a bot that the operator has suspended. Only the operator resumes it. */
export const BY_OPERATOR = "operator"

/** How a suspension changes a bot: it is stopped, and its webhook has to be set again. */
export const suspension = (channelId: string, byOperator = false): StatusChange => ({
  status: "suspended",
  reason: byOperator ? BY_OPERATOR : null,
  from: ["pending", "active", "degraded", "suspended"],
  event: { type: "bot.suspended", payload: { bot_id: channelId } }
})
export const RESUMPTION: StatusChange = { status: "pending", reason: null, from: ["suspended"], event: null }

/** The statuses in which a bot's lanes are active. */
export const WALKED: ReadonlySet<BotStatus> = new Set(["active", "degraded"])

/** Starts the lanes from their positions. Waiting and parked lanes become ready. */
const walk = Effect.fnUntraced(function* (appId: string, channelId: string) {
  const [{ query }, alignment] = [yield* Database, yield* Alignment]
  const begun = yield* query(
    (sql) => sql`
        update channels set status = 'active', version = version + 1, generation = generation + 1,
          failing_since = null, consecutive_failures = 0, not_before = null, aligned_to = ''
        where app_id = ${appId} and channel_id =
          ${channelId} and status not in ('active', 'failing', 'deleted') returning 1`
  )
  if (begun.length > 0) yield* alignment.begin({ appId, sessionId: null }, channelId)
})

export const changeStatus = Effect.fnUntraced(function* (
  appId: string,
  channelId: string,
  { status, reason, from, tokenVersion, event }: StatusChange
) {
  const { query } = yield* Database
  yield* query((sql) => sql`select 1 from channels where app_id = ${appId} and channel_id = ${channelId} for update`)
  const [changed] = yield* query<Array<{ was: BotStatus; news: boolean }>>(
    (sql) => sql`
        update telegram_bots b set status = ${status}, reason = ${reason}
        from (select status as was, reason as why from telegram_bots
          where app_id = ${appId} and channel_id = ${channelId} for update) o
        where b.app_id = ${appId} and b.channel_id = ${channelId} and b.status = any(${[...from]}::text[])
          and b.token_version = coalesce(${tokenVersion ?? null}::int, b.token_version)
        returning o.was, o.was <> b.status or o.why is distinct from b.reason as news`
  )
  if (changed === undefined) return
  if (WALKED.has(status)) {
    if (!WALKED.has(changed.was)) yield* requeueUpdates([{ app_id: appId, channel_id: channelId }])
    yield* walk(appId, channelId)
  } else {
    yield* query(
      (sql) => sql`
          update channels set status = ${status === "revoked" ? "disabled" : "paused"}, version = version + 1
          where app_id = ${appId} and channel_id = ${channelId} and status in ('active', 'failing')`
    )
  }
  if (changed.news && event !== null) yield* appendOperational({ ...event, appId })
}, inTransaction)
