import { unitOf, type UnitKind } from "#src/units/Unit.ts"
import type { Sql } from "#src/db/postgres/Database.ts"

/** A dead worker, with the unit of work that its process was stuck in, if the monitor has recorded it. */
export interface DeadWorker {
  readonly worker_id: string
  /** The graphile-worker pool of its process. */
  readonly pool_id: string | null
  readonly stuck_app_id: string | null
  readonly stuck_kind: UnitKind | null
  readonly stuck_unit: string | null
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

/**
 * Undoes the attempt that these workers had started for what they were not stuck in. It runs in the transaction that
 * deletes them, so nothing has been claimed again.
 */
export const forgive = (sql: Sql, { known, guilty }: Blame) => sql`
  with cases as (
    update eval_results r set attempts = attempts - 1 from eval_runs q
    where q.owner = any(${known}::text[]) and q.finished_at is null and r.app_id = q.app_id and r.run_id = q.run_id
      and r.status is null and r.attempts > 0
      and not 'eval' || E'\n' || r.app_id || E'\n' || r.run_id || ' ' || r.place = any(${guilty}::text[])
  ), pictures as (
    update images set attempt = attempt - 1
      where owner = any(${known}::text[]) and status = 'generating' and attempt > 0
      and not ${guiltyUnit(sql, "image", sql`image_id`)} = any(${guilty}::text[])
  ), probes as (
    update readiness_probes set attempts = attempts - 1
      where owner = any(${known}::text[]) and status = 'running' and attempts > 0
      and not ${guiltyUnit(sql, "probe", sql`run_ref`)} = any(${guilty}::text[])
  )
  update research set attempts = attempts - 1
    where owner = any(${known}::text[]) and status = 'running' and attempts > 0
    and not ${guiltyUnit(sql, "research", sql`run_ref`)} = any(${guilty}::text[])`
