/** Everything that health knows to be wrong, or worth knowing. */
export const PROBLEM_KINDS = [
  "database_unreachable",
  "database_slow",
  "database_standby",
  "database_long_transaction",
  "database_asynchronous",
  "database_direct_address",
  "clock_skewed",
  "disk_nearly_full",
  "no_worker",
  "worker_silent",
  "queue_lag",
  "job_lag",
  "job_failed",
  "job_locked",
  "model_failing",
  "bot_revoked",
  "bot_deaf",
  "bot_conflict",
  "bot_degraded",
  "bot_pending",
  "bot_sends_failing",
  "webhook_disabled",
  "webhook_failing",
  "alert_channel_paused",
  "lane_old",
  "deliveries_unknown",
  "budget_spent",
  "budget_nearly_spent",
  "ledger_mismatch",
  "app_suspended",
  "bots_on_hold",
  "deliveries_on_hold",
  "bot_suspended"
] as const
export type ProblemKind = (typeof PROBLEM_KINDS)[number]

/**
 * `critical`: people get no answers, or money is spent wrongly. `warning`: it will get worse. `info`: somebody chose
 * it.
 */
export const SEVERITIES = ["critical", "warning", "info"] as const
export type Severity = (typeof SEVERITIES)[number]

/** What a problem is about. Without an `app_id`, it is about the server. */
export interface Subject {
  readonly app_id?: string
  readonly bot_id?: string
  readonly channel_id?: string
  readonly session_id?: string
  readonly worker_id?: string
  readonly task?: string
}

/** Figures and times (ISO 8601) that show the problem. */
export type Figures = Readonly<Record<string, string | number | boolean | null>>

/** What to do about it. A request takes a key of the app if `by` is `app`, and the operator's token otherwise. */
export interface NextStep {
  readonly by: "app" | "operator"
  readonly description: string
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | null
  readonly path: string | null
  /** A command for the machine of the server. */
  readonly command: string | null
}

/** One thing that is wrong. */
export interface Problem {
  readonly kind: ProblemKind
  readonly severity: Severity
  readonly subject: Subject
  /** ISO 8601. Null: unknown. */
  readonly since: string | null
  /** How many equal things this row stands for, such as failed attempts in a row, lanes or jobs. */
  readonly count: number
  /** How many conversations it reaches, up to `MAX_REACH`. Null: everybody's. 0: nobody notices it. */
  readonly reach: number | null
  readonly evidence: Figures
  readonly cause: string
  readonly next_step: NextStep
}

export const iso = (at: Date | null): string | null => at?.toISOString() ?? null

/** A request that the app's developers make with their key. */
export const appStep = (method: NonNullable<NextStep["method"]>, path: string, description: string): NextStep => ({
  by: "app",
  description,
  method,
  path,
  command: null
})

/** A request under the operator's token. */
export const operatorStep = (method: NonNullable<NextStep["method"]>, path: string, description: string): NextStep => ({
  by: "operator",
  description,
  method,
  path,
  command: null
})

/** Something to do on the server's machine. */
export const commandStep = (description: string, command: string | null = null): NextStep => ({
  by: "operator",
  description,
  method: null,
  path: null,
  command
})
