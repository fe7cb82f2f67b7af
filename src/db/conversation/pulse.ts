import type { ISql } from "postgres"
import { type CountedUnit, givenUpUnits } from "#src/db/crashes/givenUpUnits.ts"

/** How many workers each process watches: those that follow it in the order of their ids, round to the first. */
const NEIGHBOURS = 4
/** A worker that has been silent for so long is dead, although its connection and its lock may still be open. */
export const SILENT_AFTER = "10 seconds"
/** How long after one sweep the next is due. Each process asks every second, and its clock and its timer differ. */
export const SWEEP_AFTER = "900 milliseconds"
/** A waiting turn that nobody has started by then may have no job. */
export const LATE_AFTER = "2 seconds"

/** What each process has to know of the others, whether or not it is a worker. */
export interface Watch {
  /** A neighbour seems to be dead: its lock is free, or it is silent. */
  readonly dead: boolean
  readonly given_up: ReadonlyArray<CountedUnit>
}

/** What a worker has to know. */
export interface Pulse extends Watch {
  /** Whether its row is still there, and this connection holds its lock. */
  readonly registered: boolean
  readonly holds_turns: boolean
  readonly holds_lanes: boolean
  /** There is work that any worker with room may take, even if nobody was notified of it. */
  readonly late_turns: boolean
  readonly ready_lanes: boolean
  readonly open_updates: boolean
  /** Nobody has swept in the last second. */
  readonly sweep_due: boolean
}

/**
 * Every worker is a neighbour of those before it. So if one of them lives, the death of any number of workers is
 * noticed within a second, however many there are, and nobody has to look at all of them. The test of a lock is shared,
 * so that processes that test at the same time see the same.
 */
const watch = <Types extends Record<string, unknown>>(sql: ISql<Types>, after: string) => sql`
  exists (
    select from (
      select * from (
        (select worker_id, heartbeat_at, 1 as lap from workers where worker_id > ${after}
          order by worker_id limit ${NEIGHBOURS}::int)
        union all
        (select worker_id, heartbeat_at, 2 as lap from workers where worker_id < ${after}
          order by worker_id limit ${NEIGHBOURS}::int)
      ) w order by lap, worker_id limit ${NEIGHBOURS}::int
    ) neighbour
    where heartbeat_at < now() - ${SILENT_AFTER}::interval
      or pg_try_advisory_xact_lock_shared(hashtextextended(worker_id, 0))
  ) as dead,
  coalesce((select json_agg(u) from (${givenUpUnits(sql)}) u), '[]') as given_up`

/** `after`: any id. Processes with different ones watch different workers. */
export const watchStatement = <Types extends Record<string, unknown>>(sql: ISql<Types>, after: string) =>
  sql`select ${watch(sql, after)}`

/**
 * Renews the heartbeat of a worker, and reads what it has to know, in one statement. `pid`: the server's process that
 * serves the connection with its lock.
 */
export const pulseStatement = <Types extends Record<string, unknown>>(
  sql: ISql<Types>,
  workerId: string,
  pid: number
) =>
  sql`
  with beat as (
    update workers set heartbeat_at = now() where worker_id = ${workerId} and pg_backend_pid() = ${pid} returning 1
  )
  select ${watch(sql, workerId)},
    exists (select from beat) as registered,
    exists (select from turns where owner = ${workerId} and outcome is null) as holds_turns,
    exists (select from lanes where owner = ${workerId}) as holds_lanes,
    exists (select from turns where outcome is null and owner is null
      and due_at < now() - ${LATE_AFTER}::interval) as late_turns,
    exists (select from lanes where status = 'ready' and owner is null) as ready_lanes,
    exists (select from telegram_updates where done_at is null and owner is null
      and due_at < 'infinity') as open_updates,
    not exists (select from workers where swept_at > now() - ${SWEEP_AFTER}::interval) as sweep_due`
