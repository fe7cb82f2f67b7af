/** The kinds of work that process untrusted text. The names are stored in `crashed_units`. */
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

/** A piece of work that is given up as a whole if it repeatedly crashes its process. */
export interface Unit {
  readonly kind: UnitKind
  /** The tenant. Empty for a request that belongs to no app. */
  readonly appId: string
  /** Identifies the unit within its kind and app. Only ids and digests, never text written by a person. */
  readonly key: string
  /** All three, as written to shared memory. */
  readonly text: string
}

/** Maximum length of `text` in bytes, which are all ASCII. The caller shortens longer keys. */
export const MAX_UNIT_BYTES = 512

/** Names a unit of work. */
export const unitOf = (kind: UnitKind, appId: string, key: string): Unit => ({
  kind,
  appId,
  key,
  text: `${kind}\n${appId}\n${key}`
})

/** Parses the text that `unitOf` has written. Null: it names no unit. */
export const readUnit = (text: string): Omit<Unit, "text"> | null => {
  const [kind = "", appId = "", key = ""] = text.split("\n")
  return kind === "" ? null : { kind: kind as UnitKind, appId, key }
}
