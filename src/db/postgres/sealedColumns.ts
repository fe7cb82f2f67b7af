/**
 * A bytea column of sealed secrets, null where there is none. `key` names the text columns of the primary key: what
 * `row` gives when a secret is sealed or opened, in that order.
 */
export interface SealedColumn {
  readonly table: string
  readonly key: readonly [string, ...ReadonlyArray<string>]
  readonly column: string
}

export const CHANNEL_SECRET: SealedColumn = { table: "channels", key: ["app_id", "channel_id"], column: "secret" }
export const PREVIOUS_CHANNEL_SECRET: SealedColumn = { ...CHANNEL_SECRET, column: "previous_secret" }
/** Where a webhook's events go: an address that often holds a credential. */
export const CHANNEL_URL: SealedColumn = { ...CHANNEL_SECRET, column: "url" }
export const BOT_TOKEN: SealedColumn = { table: "telegram_bots", key: ["app_id", "channel_id"], column: "token" }
export const BATCH_TOKEN: SealedColumn = {
  table: "telegram_batch_items",
  key: ["app_id", "batch_id", "item"],
  column: "token"
}
export const CLAIM_CODE: SealedColumn = {
  table: "telegram_provisionings",
  key: ["app_id", "channel_id"],
  column: "claim_code"
}
export const SIGNING_KEY: SealedColumn = { table: "signing_keys", key: ["name"], column: "sealed" }

/**
 * Every column that is sealed. A column that is missing here is lost when the key changes: the change goes through this
 * list.
 */
export const SEALED_COLUMNS: ReadonlyArray<SealedColumn> = [
  CHANNEL_SECRET,
  PREVIOUS_CHANNEL_SECRET,
  CHANNEL_URL,
  BOT_TOKEN,
  BATCH_TOKEN,
  CLAIM_CODE,
  SIGNING_KEY
]
