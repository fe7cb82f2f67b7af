export const EVIDENCE_KINDS = ["quote", "document", "author_note", "session_turn", "import"] as const
export const EVIDENCE_TRUST = ["authored", "app", "user", "web"] as const
export const EVIDENCE_STATUSES = ["active", "disputed", "retracted"] as const

/** Where a text comes from. `sha256` is the hash of the whole source, even if only a part was used. */
export interface EvidenceSource {
  readonly title: string | null
  readonly url: string | null
  readonly license: string | null
  readonly retrieved_at: string | null
  readonly sha256: string
}

/** Maximum length of one piece of evidence, in characters. */
export const EVIDENCE_MAX_CHARS = 20_000
/** How much of it a reply is given at a time, in UTF-16 units. */
export const CHUNK_CHARS = 1_200
/** Maximum number per character, not counting retracted evidence. */
export const MAX_EVIDENCE = 200
