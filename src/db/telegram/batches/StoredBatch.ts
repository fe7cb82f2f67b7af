import type { BotStatus } from "../bots/StoredBot.ts"
import type { BatchAction } from "./batchKinds.ts"

/** A bot that a person has to create. */
export interface WantedBot {
  readonly suggested_name: string
  readonly suggested_username: string
  /** The username was generated. */
  readonly is_random: boolean
  readonly owner_ref: string | null
}

export interface StoredBatch {
  readonly batch_id: string
  readonly action: BatchAction
  readonly dry_run: boolean
  /** The manager bot whose links create its bots. Null: it creates none. */
  readonly manager: string | null
  readonly total: number
  readonly done: number
  readonly failed: number
  readonly created_at: Date
}

export interface StoredItem {
  readonly item: string
  readonly channel_id: string
  readonly status: "pending" | "done" | "failed"
  readonly error: string | null
  readonly due_at: Date
  readonly character_slug: string | null
  readonly wanted: WantedBot | null
  readonly bot: { readonly status: BotStatus; readonly reason: string | null; readonly username: string | null } | null
  /** Set while the link can be used. */
  readonly link: { readonly claimCode: string; readonly expiresAt: Date } | null
}
