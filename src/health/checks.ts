import type { Evidence } from "./Evidence.ts"
import { type Figures, iso, type Problem, type ProblemKind, SEVERITIES, type Severity } from "./Problem.ts"

export const CHECKS = [
  "database",
  "disk",
  "workers",
  "queue",
  "jobs",
  "model",
  "bots",
  "webhooks",
  "deliveries",
  "budgets",
  "ledger",
  "suspensions"
] as const
export type CheckName = (typeof CHECKS)[number]

/** The check that finds each kind of problem. */
const FOUND_BY = {
  database_unreachable: "database",
  database_slow: "database",
  database_standby: "database",
  database_long_transaction: "database",
  database_asynchronous: "database",
  database_direct_address: "database",
  clock_skewed: "database",
  disk_nearly_full: "disk",
  no_worker: "workers",
  worker_silent: "workers",
  queue_lag: "queue",
  job_lag: "jobs",
  job_failed: "jobs",
  job_locked: "jobs",
  model_failing: "model",
  bot_revoked: "bots",
  bot_deaf: "bots",
  bot_conflict: "bots",
  bot_degraded: "bots",
  bot_pending: "bots",
  bot_sends_failing: "bots",
  webhook_disabled: "webhooks",
  webhook_failing: "webhooks",
  alert_channel_paused: "webhooks",
  lane_old: "deliveries",
  deliveries_unknown: "deliveries",
  budget_spent: "budgets",
  budget_nearly_spent: "budgets",
  ledger_mismatch: "ledger",
  app_suspended: "suspensions",
  bots_on_hold: "suspensions",
  deliveries_on_hold: "suspensions",
  bot_suspended: "suspensions"
} as const satisfies Record<ProblemKind, CheckName>

export interface Check {
  readonly name: CheckName
  /** `unknown`: the database does not answer. */
  readonly status: "ok" | Severity | "unknown"
  readonly problems: number
  readonly evidence: Figures
}

const oldest = (times: ReadonlyArray<Date | null>): Date | null =>
  times.reduce((first, at) => (first === null || (at !== null && at < first) ? at : first), null)
const latest = (times: ReadonlyArray<Date | null>): Date | null =>
  times.reduce((last, at) => (last === null || (at !== null && at > last) ? at : last), null)
const total = (numbers: ReadonlyArray<number>) => numbers.reduce((sum, n) => sum + n, 0)

/** What each check has looked at, also where nothing is wrong. */
const figuresOf = (e: Evidence): Record<CheckName, Figures> => ({
  database: {
    reachable: e.database.reachable,
    answered_in_ms: e.database.answered_in_ms,
    clock_ahead_seconds: e.database.clock_ahead_seconds,
    is_standby: e.database.is_standby,
    asynchronous_standbys: e.database.asynchronous_standbys,
    direct_address: e.database.direct_address,
    oldest_transaction_at: iso(e.database.oldest_transaction_at)
  },
  disk: {
    file_systems: e.disks.length,
    least_free_bytes: e.disks.length === 0 ? null : Math.min(...e.disks.map(({ free_bytes }) => free_bytes))
  },
  workers: { workers: e.workers.length, last_heartbeat_at: iso(latest(e.workers.map((w) => w.heartbeat_at))) },
  queue: {
    sessions_waiting: total(e.queue.map(({ waiting }) => waiting)),
    oldest_due_at: iso(oldest(e.queue.map((q) => q.oldest_due_at)))
  },
  jobs: {
    due: total(e.jobs.map(({ due }) => due)),
    failed: total(e.jobs.map(({ failed }) => failed)),
    oldest_due_at: iso(oldest(e.jobs.map((j) => j.oldest_due_at)))
  },
  model: {
    replies_1m: e.model.replies_1m,
    failed_1m: e.model.failed_1m,
    replies_5m: e.model.replies_5m,
    failed_5m: e.model.failed_5m,
    last_ok_at: iso(e.model.last_ok_at),
    ...e.modelCondition
  },
  bots: { not_working: e.bots.length },
  webhooks: {
    failing: e.channels.filter(({ kind, status }) => !kind.startsWith("telegram_") && status !== "paused").length
  },
  deliveries: {
    channels_with_old_lanes: e.lanes.length,
    unknown: total(e.unknown.map(({ deliveries }) => deliveries))
  },
  budgets: { nearly_spent: e.budgets.length },
  ledger: { apps_with_mismatches: e.mismatches.length },
  suspensions: {
    by_operator: e.holds.length,
    bots_by_their_apps: total(e.suspendedBots.map(({ bots }) => bots))
  }
})

/** Each check with its status and what it has looked at. */
export const checksOf = (evidence: Evidence, problems: ReadonlyArray<Problem>): ReadonlyArray<Check> => {
  const figures = figuresOf(evidence)
  return CHECKS.map((name) => {
    const found = problems.filter(({ kind }) => FOUND_BY[kind] === name)
    const worst = SEVERITIES.find((severity) => found.some((problem) => problem.severity === severity))
    const isKnown = evidence.database.reachable || name === "database" || name === "disk"
    return {
      name,
      status: isKnown ? (worst ?? "ok") : "unknown",
      problems: found.length,
      evidence: isKnown ? figures[name] : {}
    }
  })
}
