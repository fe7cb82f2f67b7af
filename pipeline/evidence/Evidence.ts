export const EVIDENCE_KINDS = ["quote", "document", "author_note", "session_turn", "import"] as const
export const EVIDENCE_TRUST = ["authored", "app", "user", "web"] as const
export const EVIDENCE_STATUSES = ["active", "disputed", "retracted"] as const

/** Where a text comes from. `sha256`: of the whole of it, where only a part was taken. */
export interface EvidenceSource {
  readonly title: string | null
  readonly url: string | null
  readonly license: string | null
  readonly retrieved_at: string | null
  readonly sha256: string
}

/** Of an evidence, in characters. */
export const EVIDENCE_MAX_CHARS = 20_000
/** Of what a reply is given of it at a time, in UTF-16 units. */
export const CHUNK_CHARS = 1_200
/** Of a character, those that are not retracted. */
export const MOST_EVIDENCE = 200
