export interface StoredChannel {
  readonly channel_id: string
  readonly session_id: string | null
  readonly kind: string
  /** Masked, because the full URL may contain a credential. */
  readonly url: string
  readonly events: ReadonlyArray<string> | null
  /** What the Schema of its kind says. */
  readonly config: Readonly<Record<string, unknown>>
  readonly status: "active" | "paused" | "failing" | "disabled"
  readonly version: number
  /** The position of its session's lane. Null for an app-wide channel, which has many lanes. */
  readonly position: number | null
  readonly consecutive_failures: number
  readonly created_at: Date
}
