import type { Unit } from "#src/units/Unit.ts"
import type { ISql } from "postgres"

/** Records that a unit of work has crashed what ran it: a process, or the thread that parsed its body. */
export const countCrash = <Types extends Record<string, unknown>>(
  sql: ISql<Types>,
  { appId, kind, key }: Omit<Unit, "text">
) => sql`
  insert into crashed_units (app_id, kind, unit) values (${appId}, ${kind}, ${key})
  on conflict (app_id, kind, unit) do update set crashes = crashed_units.crashes + 1, last_at = now()`
