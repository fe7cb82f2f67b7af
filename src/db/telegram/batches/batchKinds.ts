export const BATCH_ACTIONS = [
  "attach",
  "suspend",
  "resume",
  "rotate_secret",
  "rotate_token",
  "rebrand",
  "create_managed"
] as const
/** Only in batches of the operator. */
export const OPERATOR_ACTIONS = ["suspend", "resume", "probe", "rotate_secret", "rotate_token", "rebrand"] as const
export type BatchAction = (typeof BATCH_ACTIONS)[number] | (typeof OPERATOR_ACTIONS)[number] | "redeliver"

/** The app of batches of the operator, whose items may belong to different apps. */
export const OPERATOR_BATCHES = "*"

/**
 * The interval between two items of a kind, and the burst size: 20 new tokens a minute and 600 an hour, one profile or
 * token change a second, ten webhooks. Items without calls to Telegram have no limit.
 */
export const PACES = {
  attach: { everyMs: 6000, burst: 10 },
  change: { everyMs: 1000, burst: 1 },
  arm: { everyMs: 100, burst: 1 },
  at_once: { everyMs: 0, burst: 1 },
  // Its items are due one after another, at the rate of their batch.
  redeliver: { everyMs: 0, burst: 1 }
} as const
export type BatchKind = keyof typeof PACES
export const BATCH_KINDS = Object.keys(PACES) as ReadonlyArray<BatchKind>
export const KIND_OF: Record<BatchAction, BatchKind> = {
  attach: "attach",
  suspend: "at_once",
  resume: "arm",
  probe: "arm",
  redeliver: "redeliver",
  rotate_secret: "arm",
  rotate_token: "change",
  rebrand: "change",
  create_managed: "at_once"
}
