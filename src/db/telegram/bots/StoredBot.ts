import type { UnknownPolicy } from "#channels/telegram/TelegramBots.ts"

export const BOT_STATUSES = [
  "awaiting_creation",
  "pending",
  "active",
  "degraded",
  "suspended",
  "revoked",
  "detached"
] as const
export type BotStatus = (typeof BOT_STATUSES)[number]

/** The results of the last probe of a bot's webhook. */
export interface BotHealth {
  readonly probed_at?: string
  readonly pending_update_count?: number
  readonly last_error_message?: string
  readonly last_error_at?: string
  readonly good_probes?: number
  /** When Telegram last said that another program polls the bot. */
  readonly conflict_at?: string
  /** When its identity was last read from Telegram. */
  readonly identified_at?: string
}

export interface StoredBot {
  readonly app_id: string
  readonly channel_id: string
  readonly mode: "byo" | "managed"
  readonly character_slug: string
  readonly user_id: number | null
  readonly username: string | null
  readonly info: Readonly<Record<string, unknown>> | null
  readonly token_hint: string | null
  readonly token_version: number
  readonly status: BotStatus
  readonly reason: string | null
  readonly unknown_policy: UnknownPolicy
  readonly join_window_ms: number
  readonly drafts: boolean
  readonly webhook_url: string | null
  readonly webhook_set_at: Date | null
  /** Since when there is a secret that Telegram may or may not have. */
  readonly secret_pending_since: Date | null
  readonly health: BotHealth
  readonly last_in_at: Date | null
  readonly owner_id: number | null
  readonly owner_ref: string | null
  readonly rotating_since: Date | null
  /** When to set its profile again. Null: it is complete. */
  readonly profile_due_at: Date | null
  /** The profile picture that was last set. */
  readonly photo_sha256: string | null
  readonly photo_put_at: Date | null
  /** The menus of commands that were set: hashes by language. */
  readonly command_menus: Readonly<Record<string, string>>
  /** The operator has suspended it. */
  readonly held: boolean
  readonly created_at: Date
}

export interface BotIdentity {
  readonly userId: number
  readonly username: string
  readonly info: object
}
