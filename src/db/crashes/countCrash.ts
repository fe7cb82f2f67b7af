import type { Unit, UnitKind } from "#src/units/Unit.ts"
import type { ISql, PendingQuery, Row } from "postgres"
import type { Sql } from "#src/db/postgres/Database.ts"

/** Records that a unit of work has crashed what ran it: a process, or the thread that parsed its body. */
export const countCrash = <Types extends Record<string, unknown>>(
  sql: ISql<Types>,
  { appId, kind, key }: Omit<Unit, "text">
) => sql`
  insert into crashed_units (app_id, kind, unit) values (${appId}, ${kind}, ${key})
  on conflict (app_id, kind, unit) do update set crashes = crashed_units.crashes + 1, last_at = now()`

/**
 * The same for the unit that this worker's process is stuck in, unless its crash is already counted or the worker is no
 * longer registered: then the rescue has counted it.
 */
export const countStuckUnit = <Types extends Record<string, unknown>>(
  sql: ISql<Types>,
  workerId: string,
  { appId, kind, key }: Omit<Unit, "text">
) => sql`
  with counted as (
    update workers set stuck_app_id = ${appId}, stuck_kind = ${kind}, stuck_unit = ${key}, stuck_counted = true
    where worker_id = ${workerId} and not stuck_counted returning worker_id
  )
  insert into crashed_units (app_id, kind, unit) select ${appId}, ${kind}, ${key} from counted
  on conflict (app_id, kind, unit) do update set crashes = crashed_units.crashes + 1, last_at = now()`

/** The same for each (app_id, unit) that a query returns. Returns them with their crashes. */
export const countCrashes = (sql: Sql, kind: UnitKind, units: PendingQuery<Row[]>) => sql`
  insert into crashed_units as c (app_id, kind, unit)
  select app_id, ${kind}, unit from (${units}) u order by app_id, unit
  on conflict (app_id, kind, unit) do update set crashes = c.crashes + 1, last_at = now()
  returning app_id, unit, crashes`
