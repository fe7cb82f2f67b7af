/**
 * A bytea column of encrypted secrets, null if there is none. `key` names the text columns of the primary key, in the
 * order of the `row` argument for encryption and decryption.
 */
export interface SealedColumn {
  readonly table: string
  readonly key: readonly [string, ...ReadonlyArray<string>]
  readonly column: string
}

export const CHANNEL_SECRET: SealedColumn = { table: "channels", key: ["app_id", "channel_id"], column: "secret" }
export const PREVIOUS_CHANNEL_SECRET: SealedColumn = { ...CHANNEL_SECRET, column: "previous_secret" }
/** The URL of a webhook, which often contains a credential. */
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
 * All encrypted columns. Key rotation uses this list, so a column that is missing here becomes unreadable after a
 * rotation.
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
