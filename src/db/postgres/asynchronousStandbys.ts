import * as Effect from "effect/Effect"
import { Database, type Sql } from "./Database.ts"
import { whileStarting } from "./retry.ts"

/**
 * The number of standbys that stream from this server while no commit waits for any: what they lack is lost if one of
 * them takes over. 0 as well if the role may not see them (`pg_monitor`). Backups and logical subscribers do not count.
 */
export const asynchronousStandbys = (sql: Sql) => sql`
  case when current_setting('synchronous_standby_names') = '' then (
    select count(*)::int from pg_stat_replication r
    where r.state in ('streaming', 'catchup') and r.application_name not in ('pg_basebackup', 'pg_receivewal')
      and not exists (select from pg_replication_slots s where s.active_pid = r.pid and s.slot_type = 'logical'))
    else 0 end`

/** Logs at the start if acknowledged messages can be lost at a failover. */
export const warnOfLoss = Effect.gen(function* () {
  const { query } = yield* Database
  const [row] = yield* query<Array<{ standbys: number }>>((sql) => sql`select ${asynchronousStandbys(sql)} as standbys`)
  if (row !== undefined && row.standbys > 0)
    yield* Effect.logWarning("acknowledged messages can be lost at a failover", {
      standbys: row.standbys,
      fix: "set synchronous_standby_names"
    })
}).pipe(whileStarting)
