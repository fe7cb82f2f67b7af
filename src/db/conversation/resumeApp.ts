import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"
import { scheduleProactiveChecks } from "./proactiveChecks.ts"
import { isSuspended } from "#src/db/tenancy/isSuspended.ts"

const LANES_PER_STEP = 1000
const SESSIONS_PER_STEP = 500

/** A channel that was failing before the suspension gets its full time to recover again. */
const restartChannelGrace = Effect.fnUntraced(function* (appId: string) {
  const { query } = yield* Database
  yield* query(
    (sql) => sql`
    with failing as (
      select app_id, channel_id from channels
        where app_id = ${appId} and failing_since is not null and status in ('active', 'failing')
      order by app_id, channel_id for no key update
    )
    update channels c set failing_since = now() from failing f where c.app_id = f.app_id
      and c.channel_id = f.channel_id`
  )
})

interface LanePosition {
  readonly session_id: string
  readonly channel_id: string
}

/**
 * Makes the app's next parked lanes ready. Lanes of Telegram bots are resumed with their bots. Null: there are no more.
 */
const resumeLanes = Effect.fnUntraced(function* (appId: string, { session_id, channel_id }: LanePosition) {
  const { query } = yield* Database
  const walked = yield* query<Array<LanePosition>>(
    (sql) => sql`
    with step as materialized (
      select app_id, session_id, channel_id from lanes
      where app_id = ${appId} and (session_id,
        channel_id) > (${session_id}, ${channel_id}) order by session_id, channel_id limit ${LANES_PER_STEP}::int
    ), back as (
      select l.app_id, l.session_id, l.channel_id from step s join lanes l using (app_id, session_id, channel_id)
        join channels c using (app_id, channel_id)
      where l.status = 'parked' and c.status in ('active', 'failing') and c.hold_kind is distinct from 'telegram'
        and not (${isSuspended(sql, sql`l.app_id`)})
      order by l.app_id, l.session_id, l.channel_id for no key update of l
    ), moved as (
      update lanes l set status = case when l.position < l.head or l.redo <> '{}' then 'ready' else 'idle' end,
        due_at = now()
      from back b where l.app_id = b.app_id and l.session_id = b.session_id and l.channel_id = b.channel_id
    )
    select session_id, channel_id from step order by session_id desc, channel_id desc limit 1`
  )
  return walked[0] ?? null
})

/** Schedules proactive checks of the next sessions whose characters could not write first. Null: there are no more. */
const resumeProactiveChecks = Effect.fnUntraced(function* (appId: string, after: string) {
  const { query } = yield* Database
  const step = (yield* query<Array<{ session_id: string }>>(
    (sql) => sql`
    select session_id from relationships
      where app_id = ${appId} and session_id >
        ${after} and initiate_at = 'infinity' order by session_id limit ${SESSIONS_PER_STEP}::int`
  )).map((row) => row.session_id)
  if (step.length > 0)
    yield* query((sql) =>
      scheduleProactiveChecks(sql, sql`select ${appId}::text, session_id from unnest(${step}::text[]) as t(session_id)`)
    )
  return step.at(-1) ?? null
})

/**
 * Resumes an app whose suspension was lifted, except its Telegram bots: webhooks, proactive checks, and waiting runs.
 * It works in steps, and calling it again is harmless.
 */
export const resumeApp = Effect.fnUntraced(function* (appId: string) {
  const { query } = yield* Database
  yield* restartChannelGrace(appId)
  let position: LanePosition | null = { session_id: "", channel_id: "" }
  while (position !== null) position = yield* resumeLanes(appId, position)
  let after: string | null = ""
  while (after !== null) after = yield* resumeProactiveChecks(appId, after)
  yield* query(
    (sql) => sql`
    select graphile_worker.add_job(task, '{}'::json) from unnest(array['deliver', 'initiate', 'images', 'evals',
      'research', 'rehearse', 'exports']) as t(task)`
  )
})
