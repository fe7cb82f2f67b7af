import type { ModelFailure } from "#pipeline/ModelFailure.ts"
import type { Figures } from "./Problem.ts"

/** A bot that is not simply working. */
export interface BotEvidence {
  readonly app_id: string
  readonly channel_id: string
  readonly mode: "byo" | "managed"
  readonly username: string | null
  readonly status: string
  readonly reason: string | null
  readonly status_since: Date
  /** Since when Telegram has updates for it while none have arrived. */
  readonly updates_waiting_since: Date | null
  readonly last_in_at: Date | null
  /** The last message that Telegram accepted from it. */
  readonly last_out_at: Date | null
  readonly probed_at: string | null
  readonly updates_waiting: number | null
  readonly last_error_message: string | null
  /** Chats in which people talk to it. */
  readonly reach: number
}

/** A push channel whose attempts fail, or that is disabled; or an alert channel that is paused. */
export interface ChannelEvidence {
  readonly app_id: string
  readonly channel_id: string
  readonly session_id: string | null
  readonly kind: string
  readonly status: string
  readonly status_since: Date
  readonly failing_since: Date | null
  readonly consecutive_failures: number
  readonly last_success_at: Date | null
  readonly last_failure_at: Date | null
  readonly last_status_code: number | null
  readonly last_error_code: string | null
  /** Conversations whose events wait for it. */
  readonly reach: number
}

/** A channel with lanes that have been due for a while. */
export interface LaneEvidence {
  readonly app_id: string
  readonly channel_id: string
  readonly kind: string
  readonly oldest_due_at: Date
  readonly lanes: number
}

/** Deliveries of a channel with an unknown outcome: they may have arrived or not. */
export interface UnknownEvidence {
  readonly app_id: string
  readonly channel_id: string
  readonly kind: string | null
  readonly first_at: Date
  readonly deliveries: number
  readonly session_id: string
  /** Conversations that they belong to. */
  readonly reach: number
}

/** Sessions whose next turn is due and has no worker. */
export interface QueueEvidence {
  readonly app_id: string
  readonly waiting: number
  readonly oldest_due_at: Date
}

export interface WorkerEvidence {
  readonly worker_id: string
  readonly started_at: Date
  readonly heartbeat_at: Date
}

/** Jobs of one kind. */
export interface JobEvidence {
  readonly task: string
  /** Due and not started. */
  readonly due: number
  readonly oldest_due_at: Date | null
  /** Out of attempts. */
  readonly failed: number
  readonly failed_at: Date | null
  readonly last_error: string | null
  readonly locked: number
  readonly oldest_locked_at: Date | null
}

/** Replies that the model has written or failed to write within the last minute and the last five minutes. */
export interface ModelEvidence {
  readonly replies_1m: number
  readonly failed_1m: number
  /** Conversations in which one failed. */
  readonly reach_1m: number
  readonly replies_5m: number
  readonly failed_5m: number
  readonly reach_5m: number
  /** Replies that failed since the last success, within the five minutes. */
  readonly failed_since_ok: number
  readonly reach_since_ok: number
  readonly last_ok_at: Date | null
  /** When the latest reply that failed ended, within the five minutes. */
  readonly last_failed_at: Date | null
  /** The first failure after the last success. */
  readonly failing_since: Date | null
  /** Of the latest failure. */
  readonly last_error_code: string | null
  /** Its name, and what the server said. Null: an earlier version of Troupe recorded it. */
  readonly last_failure: ModelFailure | null
  readonly last_said: string | null
}

export interface BudgetEvidence {
  readonly app_id: string
  readonly period: "day" | "month" | "total"
  readonly limit_micro_usd: number
  readonly used_micro_usd: number
  readonly hard_stop: boolean
  /** When it last refused a message, because its rest did not cover it. Null: not lately. */
  readonly refused_at: Date | null
  /** Conversations of the app in the last days. */
  readonly reach: number
}

export interface MismatchEvidence {
  readonly app_id: string
  readonly found_at: Date
  readonly turns: number
  readonly run_ref: string
}

export interface SuspendedBots {
  readonly app_id: string
  readonly bots: number
  readonly since: Date
  /** Chats in which people talk to them. */
  readonly reach: number
}

/** A suspension by the operator. The scope `*` stands for all apps. */
export interface HoldEvidence {
  readonly scope: string
  readonly kind: "app" | "move" | "telegram" | "delivery"
  readonly since: Date
  readonly reason: string | null
  /** Conversations of the app in the days before. Null: it concerns all apps. */
  readonly reach: number | null
}

export interface DatabaseEvidence {
  readonly reachable: boolean
  /** Since when this process has had no answer. */
  readonly unreachable_since: Date | null
  /** Of one statement, including the wait for a connection. */
  readonly answered_in_ms: number | null
  /** How far the clock of this process is ahead of the database's. Negative: behind. */
  readonly clock_ahead_seconds: number | null
  readonly is_standby: boolean
  /** Standbys for which no commit waits. */
  readonly asynchronous_standbys: number
  readonly oldest_transaction_at: Date | null
  /** Where the address of the server itself leads, compared to that of the pooler. Null: there is no pooler. */
  readonly direct_address: "same" | "different" | "unreachable" | null
}

/** A file system that Troupe writes to. */
export interface DiskEvidence {
  readonly path: string
  /** What is stored there. */
  readonly holds: "database" | "pictures"
  readonly free_bytes: number
  readonly total_bytes: number
}

/** Everything that problems are derived from. What could not be read is empty. */
export interface Evidence {
  /** By the clock of the database, if it answers, as all other times here. */
  readonly at: Date
  readonly database: DatabaseEvidence
  readonly disks: ReadonlyArray<DiskEvidence>
  readonly workers: ReadonlyArray<WorkerEvidence>
  readonly queue: ReadonlyArray<QueueEvidence>
  readonly jobs: ReadonlyArray<JobEvidence>
  readonly model: ModelEvidence
  /** What this process has found out about the model itself. Empty: it asks none. */
  readonly modelCondition: Figures
  readonly bots: ReadonlyArray<BotEvidence>
  readonly channels: ReadonlyArray<ChannelEvidence>
  readonly lanes: ReadonlyArray<LaneEvidence>
  readonly unknown: ReadonlyArray<UnknownEvidence>
  readonly budgets: ReadonlyArray<BudgetEvidence>
  readonly mismatches: ReadonlyArray<MismatchEvidence>
  readonly holds: ReadonlyArray<HoldEvidence>
  /** Apps and their suspended bots, which their developers have suspended. */
  readonly suspendedBots: ReadonlyArray<SuspendedBots>
  /** False: there are more than were read, and the oldest or first ones are shown. */
  readonly complete: boolean
}
