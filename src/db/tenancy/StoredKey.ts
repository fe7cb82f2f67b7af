/** `demo`: a sandbox key with restricted access. */
export type KeyKind = "runtime" | "demo"

/** A key with what authentication needs. */
export interface StoredKey {
  readonly app_id: string
  readonly kind: KeyKind
  readonly secret_hash: Buffer
  readonly revoked: boolean
  readonly expired: boolean
  /** Whether the operator has suspended its app, and why. */
  readonly suspended: boolean
  readonly suspended_reason: string | null
  /** The cell that its app is moving to. */
  readonly moving_to: string | null
  /** Whether last_used_at is due for an update. */
  readonly use_unwritten: boolean
}
