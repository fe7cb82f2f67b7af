/** What kinds of work a text can reach. The names are stored in `crashed_units`. */
export type UnitKind =
  | "turn"
  | "reading"
  | "proactive"
  | "request"
  | "update"
  | "eval"
  | "research"
  | "probe"
  | "image"
  | "delivery"
  | "export"

/** A piece of work that is given up as one when it stops its process again and again. */
export interface Unit {
  readonly kind: UnitKind
  /** The tenant; empty for a request that belongs to no app. */
  readonly appId: string
  /** Names the unit within its kind and app. Ids and digests only, never what somebody wrote. */
  readonly key: string
  /** All three, as they stand in shared memory. */
  readonly text: string
}

/** Bytes of `text` at most, all of which are ASCII. A longer key is the caller's to shorten. */
export const MOST_UNIT_BYTES = 512

/** Names a unit of work. */
export const unitOf = (kind: UnitKind, appId: string, key: string): Unit => ({
  kind,
  appId,
  key,
  text: `${kind}\n${appId}\n${key}`
})

/** Reads what `unitOf` has written; null: nothing is named there. */
export const readUnit = (text: string): Omit<Unit, "text"> | null => {
  const [kind = "", appId = "", key = ""] = text.split("\n")
  return kind === "" ? null : { kind: kind as UnitKind, appId, key }
}
