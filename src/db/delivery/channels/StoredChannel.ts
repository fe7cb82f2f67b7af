export interface StoredChannel {
  readonly channel_id: string
  readonly session_id: string | null
  readonly kind: string
  /** Masked: the whole address may hold a credential. */
  readonly url: string
  readonly events: ReadonlyArray<string> | null
  /** What the Schema of its kind says. */
  readonly config: Readonly<Record<string, unknown>>
  readonly status: "active" | "paused" | "failing" | "disabled"
  readonly version: number
  /** Of the lane of its session; null for an app-wide channel, which has many. */
  readonly position: number | null
  readonly consecutive_failures: number
  readonly created_at: Date
}
