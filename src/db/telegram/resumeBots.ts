import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"
import { scheduleProactiveChecks } from "#src/db/conversation/proactiveChecks.ts"
import { ALL_APPS, isSuspendedByOperator } from "#src/db/delivery/isSuspendedByOperator.ts"

const BOTS_PER_STEP = 16

export interface BotPosition {
  readonly app_id: string
  readonly channel_id: string
}

// Starts from the bots, row by row (`offset 0`). The planner might otherwise read all parked updates or lanes of all
// bots.

/**
 * Makes the parked updates of these resumed bots available, and schedules the proactive checks of their sessions. The
 * caller resumes the lanes.
 */
export const requeueUpdates = Effect.fnUntraced(function* (bots: ReadonlyArray<BotPosition>) {
  const { query } = yield* Database
  const [apps, channels] = [bots.map((bot) => bot.app_id), bots.map((bot) => bot.channel_id)]
  yield* query(
    (sql) => sql`
    with aside as (
      select a.* from unnest(${apps}::text[], ${channels}::text[]) b(app_id, channel_id) cross join lateral (
        select app_id, channel_id, update_id from telegram_updates u
        where u.app_id = b.app_id and u.channel_id = b.channel_id and u.done_at is null
          and u.due_at = 'infinity' offset 0 for no key update
      ) a
    )
    update telegram_updates u set due_at = now() from aside a where u.app_id = a.app_id and u.channel_id = a.channel_id
      and u.update_id = a.update_id`
  )
  // A session that was checked during the suspension could not be written to, and would not be checked again before the
  // person writes.
  yield* query((sql) =>
    scheduleProactiveChecks(
      sql,
      sql`
    select r.app_id, r.session_id from unnest(${apps}::text[], ${channels}::text[]) b(app_id, channel_id)
    cross join lateral (select session_id from telegram_chats t where t.app_id = b.app_id
      and t.channel_id = b.channel_id offset 0) t
    cross join lateral (select app_id, session_id from relationships r where r.app_id = b.app_id
      and r.session_id = t.session_id and r.initiate_at = 'infinity' offset 0) r`
    )
  )
  yield* query((sql) => sql`select graphile_worker.add_job('telegram', '{}'::json)`)
})

/**
 * Resumes the next few bots of an app or of all apps: parked updates, lanes, and chats with pending proactive messages.
 * Returns the last bot. Null: there are no more.
 */
export const resumeBots = Effect.fnUntraced(function* (scope: string, { app_id, channel_id }: BotPosition) {
  const { query, transaction } = yield* Database
  return yield* transaction(
    Effect.gen(function* () {
      const bots = yield* query<Array<BotPosition & { readonly walked: boolean }>>(
        (sql) => sql`
      select app_id, channel_id, status in ('active', 'degraded')
        and not (${isSuspendedByOperator(sql, sql`app_id`)}) as walked from telegram_bots
      where (app_id, channel_id) > (${app_id},
        ${channel_id}) and ${scope} in (${ALL_APPS}, app_id) order by app_id, channel_id limit ${BOTS_PER_STEP}::int`
      )
      const walked = bots.filter((bot) => bot.walked)
      if (walked.length > 0) {
        const [apps, channels] = [walked.map((bot) => bot.app_id), walked.map((bot) => bot.channel_id)]
        yield* requeueUpdates(walked)
        yield* query(
          (sql) => sql`
        with chat as materialized (
          select b.app_id, o.session_id, b.channel_id
            from unnest(${apps}::text[], ${channels}::text[]) b(app_id, channel_id)
            cross join lateral (select session_id, service_log_id from telegram_chats c where c.app_id = b.app_id
              and c.channel_id = b.channel_id and c.status = 'active' offset 0) c
            cross join lateral (values (c.session_id), (c.service_log_id)) as o(session_id)
          order by b.app_id, o.session_id, b.channel_id
        ), back as (
          select l.* from chat c cross join lateral (
            select app_id, session_id, channel_id from lanes l
            where l.app_id = c.app_id and l.session_id = c.session_id and l.channel_id = c.channel_id
              and l.status = 'parked' and (l.position < l.head or l.redo <> '{}')
            offset 0 for no key update
          ) l
        )
        update lanes l set status = 'ready', due_at = now() from back b where l.app_id = b.app_id
          and l.session_id = b.session_id and l.channel_id = b.channel_id`
        )
        yield* query((sql) => sql`select graphile_worker.add_job('deliver', '{}'::json)`)
      }
      return bots.at(-1) ?? null
    })
  )
})
