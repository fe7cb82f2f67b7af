import * as Effect from "effect/Effect"
import { Database } from "../Database.ts"

/** All that is kept of a session, under its id; its own row last. */
const TABLES = ["lanes", "delivery_attempts", "memory_terms", "memory_blocks", "turn_stages", "turns", "events", "session_logs", "sessions"] as const

/** Budgets before sessions: the lock order of every writer. To be taken before a row of a chat is. */
export const lockBudget = (appId: string) => Database.use(({ query }) => query((sql) => sql`select 1 from app_budgets where app_id = ${appId} for no key update`))

/** Deletes sessions with everything in them, within the transaction of the caller, who holds the lock of the app's budget. */
export const eraseSessions = Effect.fnUntraced(function*(appId: string, sessionIds: ReadonlyArray<string>) {
  const { query } = yield* Database
  const ids = [...sessionIds].sort()
  yield* query((sql) => sql`select 1 from session_logs where app_id = ${appId} and session_id = any(${ids}::text[]) order by session_id for update`)
  yield* query((sql) => sql`update telegram_chats set session_id = null where app_id = ${appId} and session_id = any(${ids}::text[])`)
  // What was held for turns that nobody will answer any more.
  yield* query((sql) => sql`
    update app_budgets b set used_micro_usd = b.used_micro_usd - x.held from (
      select sum(hold_micro_usd) as held from turns t join app_budgets b using (app_id)
      where t.app_id = ${appId} and t.session_id = any(${ids}::text[]) and t.outcome is null and date_trunc('month', t.accepted_at at time zone 'utc')::date = b.month
    ) x where b.app_id = ${appId} and x.held is not null`)
  for (const table of TABLES) yield* query((sql) => sql`delete from ${sql(table)} where app_id = ${appId} and session_id = any(${ids}::text[])`)
})
