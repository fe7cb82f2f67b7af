import type { Problem, ProblemKind, Severity } from "#src/health/Problem.ts"
import type { Tone } from "./icons.ts"

/** What a problem is called: of one thing, and of several. */
const TITLES: Readonly<Record<ProblemKind, readonly [one: string, many: string]>> = {
  database_unreachable: ["The database does not answer", "The database does not answer"],
  database_slow: ["The database is slow", "The database is slow"],
  database_standby: [
    "The database is a standby and accepts no writes",
    "The database is a standby and accepts no writes"
  ],
  database_long_transaction: ["A transaction has been open for too long", "transactions have been open for too long"],
  database_asynchronous: [
    "Acknowledged messages can be lost at a failover",
    "Acknowledged messages can be lost at a failover"
  ],
  database_direct_address: ["DATABASE_DIRECT_URL is wrong", "DATABASE_DIRECT_URL is wrong"],
  clock_skewed: [
    "The clocks of a process and of the database differ",
    "The clocks of a process and of the database differ"
  ],
  disk_nearly_full: ["A disk is nearly full", "disks are nearly full"],
  no_worker: ["No worker is running, so nobody gets a reply", "No worker is running, so nobody gets a reply"],
  worker_silent: ["A worker is silent", "workers are silent"],
  queue_lag: ["Replies wait for a worker", "apps wait for a worker"],
  job_lag: ["Background jobs are late", "kinds of background jobs are late"],
  job_failed: ["Background jobs have failed", "kinds of background jobs have failed"],
  job_locked: ["A background job has been running for too long", "background jobs have been running for too long"],
  model_failing: ["The model is failing", "models are failing"],
  bot_revoked: ["The token of a bot is no longer valid", "bots have a token that is no longer valid"],
  bot_deaf: ["A bot receives no messages", "bots receive no messages"],
  bot_conflict: ["Another program uses a bot", "bots are used by another program"],
  bot_degraded: ["A bot is degraded", "bots are degraded"],
  bot_pending: ["A bot is not set up yet", "bots are not set up yet"],
  bot_sends_failing: ["A bot cannot send", "bots cannot send"],
  webhook_disabled: ["A webhook is disabled", "webhooks are disabled"],
  webhook_failing: ["A webhook is failing", "webhooks are failing"],
  alert_channel_paused: ["An alert channel is paused", "alert channels are paused"],
  lane_old: ["Deliveries are late", "channels have late deliveries"],
  deliveries_unknown: [
    "It is not known whether deliveries arrived",
    "channels have deliveries with an unknown outcome"
  ],
  budget_spent: ["A budget is spent", "budgets are spent"],
  budget_nearly_spent: ["A budget is nearly spent", "budgets are nearly spent"],
  ledger_mismatch: ["The ledger does not match the turns", "apps have a ledger that does not match their turns"],
  app_suspended: ["An app is suspended", "apps are suspended"],
  bots_on_hold: ["Telegram bots are on hold", "holds on Telegram bots"],
  deliveries_on_hold: ["Deliveries are on hold", "Deliveries are on hold"],
  bot_suspended: ["Bots of an app are suspended", "apps have suspended bots"]
}

export const titleOf = (kind: ProblemKind, count: number): string =>
  count === 1 ? TITLES[kind][0] : /^[A-Z]/.test(TITLES[kind][1]) ? TITLES[kind][1] : `${count} ${TITLES[kind][1]}`

export const toneOf = (severity: Severity): Tone =>
  severity === "critical" ? "bad" : severity === "warning" ? "warn" : "info"

export interface Step {
  readonly url: string
  readonly label: string
}

/** The screen on which the next step is done. */
export const stepOf = ({ kind, subject }: Problem): Step => {
  const { app_id, bot_id, channel_id, session_id } = subject
  if (bot_id !== undefined) return { url: `/console/bots/${bot_id}`, label: "Open the bot" }
  if (channel_id?.startsWith("bot_") === true) return { url: `/console/bots/${channel_id}`, label: "Open the bot" }
  if (channel_id !== undefined) return { url: `/console/webhooks/${channel_id}`, label: "Open the webhook" }
  if (session_id !== undefined) return { url: `/console/conversations/${session_id}`, label: "Open the conversation" }
  if (app_id !== undefined && app_id !== "*") return { url: `/console/apps/${app_id}`, label: "Open the app" }
  return kind === "bots_on_hold"
    ? { url: "/console/system#holds", label: "See the holds" }
    : { url: "/console/system", label: "Open the system" }
}
