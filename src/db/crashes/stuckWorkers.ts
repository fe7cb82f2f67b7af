import { type Unit, unitOf, type UnitKind } from "#src/units/Unit.ts"
import type { Sql } from "#src/db/postgres/Database.ts"

/** A dead worker, with the unit of work that its process was stuck in, if the monitor has recorded it. */
export interface DeadWorker {
  readonly worker_id: string
  /** The graphile-worker pool of its process. */
  readonly pool_id: string | null
  readonly stuck_app_id: string | null
  readonly stuck_kind: UnitKind | null
  readonly stuck_unit: string | null
  /** Whether the monitor has counted the crash of that unit. */
  readonly stuck_counted: boolean
}

/** What to count for each dead worker: everything that it held, or only the unit that it was stuck in. */
export interface Blame {
  /** Workers whose unit is known. */
  readonly known: ReadonlyArray<string>
  /** Those units. */
  readonly guilty: ReadonlyArray<string>
}

export const NOBODY_KNOWN: Blame = { known: [], guilty: [] }

export const blameOf = (dead: ReadonlyArray<DeadWorker>): Blame => {
  const stuck = dead.flatMap(({ worker_id, stuck_kind, stuck_app_id, stuck_unit }) =>
    stuck_kind === null ? [] : [{ worker_id, unit: unitOf(stuck_kind, stuck_app_id ?? "", stuck_unit ?? "") }]
  )
  return { known: stuck.map(({ worker_id }) => worker_id), guilty: stuck.map(({ unit }) => unit.text) }
}

/** Units whose process died after the monitor had recorded them, and before it counted them. */
export const uncountedOf = (dead: ReadonlyArray<DeadWorker>): ReadonlyArray<Omit<Unit, "text">> =>
  dead.flatMap(({ stuck_kind, stuck_app_id, stuck_unit, stuck_counted }) =>
    stuck_kind === null || stuck_counted ? [] : [{ appId: stuck_app_id ?? "", kind: stuck_kind, key: stuck_unit ?? "" }]
  )

const guiltyUnit = (sql: Sql, kind: UnitKind, key: ReturnType<Sql>) =>
  sql`${kind}::text || E'\n' || app_id || E'\n' || ${key}`

/** Whether a turn counts a crash of its owner. */
export const countsCrash = (sql: Sql, { known, guilty }: Blame) =>
  sql`(not owner = any(${known}::text[]) or ${guiltyUnit(
    sql,
    "turn",
    sql`session_id || ' ' ||
    turn_index`
  )} = any(${guilty}::text[]))`
