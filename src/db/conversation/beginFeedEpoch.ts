import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { Database, type Sql } from "#src/db/postgres/Database.ts"

/** The cluster and the database in it. A restore, a dump or an upgrade to another cluster changes it. */
const identity = (sql: Sql) => sql`(
  select c.system_identifier || '-' || d.oid from pg_control_system() c, pg_database d
  where d.datname = current_database())`

const isCurrent = Effect.fnUntraced(function* () {
  const { query } = yield* Database
  const [row] = yield* query<Array<{ current: boolean }>>(
    (sql) => sql`
      select coalesce(f.identity = ${identity(sql)}, false) as current from feed_epochs f order by f.epoch desc limit 1`
  )
  return row?.current === true
})

/**
 * Begins a new epoch of the feed if these tables were restored or moved here: what is written from now on comes after
 * everything that they hold, although transactions have other numbers here. Runs before a process writes.
 */
export const beginFeedEpoch = Effect.gen(function* () {
  if (yield* isCurrent()) return
  const { query, transaction } = yield* Database
  yield* transaction(
    Effect.gen(function* () {
      yield* query((sql) => sql`lock table feed_epochs in exclusive mode`)
      if (yield* isCurrent()) return
      yield* query(
        (sql) => sql`
          insert into feed_epochs (epoch, name, identity, shift, first_position)
          select last.epoch + 1, ${randomBytes(4).toString("hex")}, ${identity(sql)}, next.shift,
            here.number + next.shift
          from (select * from feed_epochs order by epoch desc limit 1) last
          cross join (select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as number) here
          cross join (
            select greatest(
              (select max(e.feed_position) from apps a cross join lateral (
                select x.feed_position from events x where x.app_id = a.app_id
                order by x.feed_position desc limit 1) e),
              (select max(l.feed_position) from session_logs l), 0) as position
          ) written
          cross join lateral (select greatest(last.shift, written.position + 1 - here.number) as shift) next`
      )
    })
  )
})
