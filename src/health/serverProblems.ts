import type { DatabaseEvidence, DiskEvidence, WorkerEvidence } from "./Evidence.ts"
import { AFTER_MS, DISK_FREE } from "./limits.ts"
import { commandStep, iso, type Problem } from "./Problem.ts"

const CHECK_DATABASE = commandStep("Check that PostgreSQL is running and that DATABASE_URL is right")

/** What is wrong with the database, seen from this process. */
export const databaseProblems = (database: DatabaseEvidence, now: Date): ReadonlyArray<Problem> => {
  const found = { subject: {}, count: 1, reach: null }
  if (!database.reachable)
    return [
      {
        ...found,
        kind: "database_unreachable",
        severity: "critical",
        since: iso(database.unreachable_since),
        evidence: { unreachable_since: iso(database.unreachable_since) },
        cause: "PostgreSQL does not answer: it is stopped, overloaded or cut off from this process",
        next_step: CHECK_DATABASE
      }
    ]
  const { answered_in_ms, is_standby, asynchronous_standbys, direct_address, oldest_transaction_at: oldest } = database
  const ahead = database.clock_ahead_seconds ?? 0
  const problems: Array<Problem> = []
  if (is_standby)
    problems.push({
      ...found,
      kind: "database_standby",
      severity: "critical",
      since: null,
      evidence: { is_standby },
      cause: "The server is connected to a standby, which accepts no writes",
      next_step: commandStep("Point DATABASE_URL at the primary, or promote this server")
    })
  if (answered_in_ms !== null && answered_in_ms > AFTER_MS.databaseSlow)
    problems.push({
      ...found,
      kind: "database_slow",
      severity: "warning",
      since: null,
      evidence: { answered_in_ms: Math.round(answered_in_ms) },
      cause: "PostgreSQL is overloaded, or this process has too few connections",
      next_step: commandStep("Look at the load of PostgreSQL and its slowest statements")
    })
  if (oldest !== null && now.getTime() - oldest.getTime() > AFTER_MS.longTransaction)
    problems.push({
      ...found,
      kind: "database_long_transaction",
      severity: "warning",
      since: iso(oldest),
      evidence: { oldest_transaction_at: iso(oldest) },
      cause: "A transaction has been open for too long, so PostgreSQL can't clean up: often a backup or an idle client",
      next_step: commandStep("Find it in pg_stat_activity by its xact_start, and end it with pg_terminate_backend")
    })
  if (Math.abs(ahead) * 1000 > AFTER_MS.clockSkewed)
    problems.push({
      ...found,
      kind: "clock_skewed",
      severity: "warning",
      since: null,
      evidence: { clock_ahead_seconds: Math.round(ahead) },
      cause:
        `The clock of this process is ${Math.round(Math.abs(ahead))} seconds ${ahead > 0 ? "ahead of" : "behind"} ` +
        "the database's: receivers refuse signed webhooks, and tokens count as expired or not yet valid",
      next_step: commandStep("Synchronise the clocks of both machines with NTP")
    })
  if (asynchronous_standbys > 0)
    problems.push({
      ...found,
      kind: "database_asynchronous",
      severity: "warning",
      since: null,
      evidence: { asynchronous_standbys },
      cause:
        "Standbys are attached, but synchronous_standby_names is empty: " +
        "messages that were acknowledged can be lost at a failover",
      next_step: commandStep("Set synchronous_standby_names to the standby, or never fail over to it")
    })
  if (direct_address === "different" || direct_address === "unreachable")
    problems.push({
      ...found,
      kind: "database_direct_address",
      severity: "critical",
      since: null,
      evidence: { direct_address },
      cause:
        direct_address === "different"
          ? "DATABASE_URL and DATABASE_DIRECT_URL lead to different databases"
          : "The server at DATABASE_DIRECT_URL does not answer, but workers need it",
      next_step: commandStep("Set DATABASE_DIRECT_URL to the server behind the pooler, with the same database")
    })
  return problems
}

const gigabytes = (bytes: number) => Math.round(bytes / 10_000_000) / 100

/** What is wrong with a file system. */
export const diskProblems = (disk: DiskEvidence): ReadonlyArray<Problem> => {
  const { path, holds, free_bytes: free, total_bytes: total } = disk
  const isBelow = ({ share, bytes }: { readonly share: number; readonly bytes: number }) =>
    free < total * share && free < bytes
  const severity = isBelow(DISK_FREE.critical) ? "critical" : isBelow(DISK_FREE.warning) ? "warning" : null
  if (severity === null) return []
  return [
    {
      kind: "disk_nearly_full",
      severity,
      subject: {},
      since: null,
      count: 1,
      reach: null,
      evidence: {
        path,
        holds,
        free_gb: gigabytes(free),
        total_gb: gigabytes(total),
        free_percent: Math.round((free / total) * 1000) / 10
      },
      cause: `The file system that holds the ${holds} is nearly full. When it is full, nothing can be stored`,
      next_step: commandStep(`Free or add space at ${path}`, `df -h '${path.replaceAll("'", "'\\''")}'`)
    }
  ]
}

/** What is wrong with the processes that run turns. */
export const workerProblems = (workers: ReadonlyArray<WorkerEvidence>, now: Date): ReadonlyArray<Problem> => {
  const age = ({ heartbeat_at }: WorkerEvidence) => now.getTime() - heartbeat_at.getTime()
  const last = workers.reduce<Date | null>(
    (latest, { heartbeat_at }) => (latest === null || heartbeat_at > latest ? heartbeat_at : latest),
    null
  )
  if (!workers.some((worker) => age(worker) <= AFTER_MS.noWorker))
    return [
      {
        kind: "no_worker",
        severity: "critical",
        subject: {},
        since: iso(last),
        count: 1,
        reach: null,
        evidence: { workers: workers.length, last_heartbeat_at: iso(last) },
        cause: "No process with the role worker is running: nothing is answered or delivered",
        next_step: commandStep("Start a process whose ROLES include worker", "npm start")
      }
    ]
  return workers
    .filter((worker) => age(worker) > AFTER_MS.workerSilent)
    .map(({ worker_id, started_at, heartbeat_at }) => ({
      kind: "worker_silent",
      severity: "warning",
      subject: { worker_id },
      since: iso(heartbeat_at),
      count: 1,
      reach: 0,
      evidence: { started_at: iso(started_at), last_heartbeat_at: iso(heartbeat_at) },
      cause: "The process is stuck, frozen or cut off. Other workers take over its work",
      next_step: commandStep("Look at the process and its log, and restart it")
    }))
}
