const SECOND = 1000
const MINUTE = 60 * SECOND

/** Milliseconds from which something counts as a problem. */
export const AFTER_MS = {
  /** A worker sends a heartbeat every second. */
  workerSilent: 10 * SECOND,
  noWorker: 30 * SECOND,
  /** A turn is normally started at once. */
  queueLag: 30 * SECOND,
  queueStuck: 5 * MINUTE,
  /** Replies that failed, none of them since then: whether the next one will is not known. */
  modelQuiet: 2 * MINUTE,
  jobLag: 2 * MINUTE,
  jobLocked: 60 * MINUTE,
  /** Updates wait at Telegram, and none arrives. */
  botDeaf: 10 * MINUTE,
  botPending: 10 * MINUTE,
  laneOld: 10 * MINUTE,
  deliveryUnknown: 5 * MINUTE,
  longTransaction: 10 * MINUTE,
  databaseSlow: 1 * SECOND,
  clockSkewed: 5 * SECOND
} as const

/** Failed attempts in a row from which a channel is reported. */
export const FAILURES_IN_A_ROW = 3
/** Share of failed replies from which the model is reported. */
export const MODEL_FAILURE_RATE = 0.5
/** Replies that a verdict on the model takes. With fewer in the last minute, a longer time counts. */
export const MODEL_REPLIES = 2
/** No more conversations are counted for one problem. */
export const MAX_REACH = 1000
/** A file system is reported if both its free share and its free bytes are below these. */
export const DISK_FREE = {
  warning: { share: 0.1, bytes: 10_000_000_000 },
  critical: { share: 0.03, bytes: 2_000_000_000 }
} as const
/** Percentage of a budget from which it is reported. */
export const BUDGET_SHARE = 80
