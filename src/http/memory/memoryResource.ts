import type { Memory } from "#pipeline/relational/Relationship.ts"

/** Everything except the tombstone. */
export const toMemoryResource = (sessionId: string) => (memory: Memory) => ({
  id: memory.id,
  session_id: sessionId,
  kind: memory.kind,
  subject: memory.subject,
  about: memory.about,
  text: memory.text,
  importance: memory.importance,
  confidence: memory.confidence,
  pinned: memory.pinned,
  status: memory.status,
  valid_at: memory.valid_at,
  invalid_at: memory.invalid_at,
  supersedes_id: memory.supersedes_id,
  linked_ids: memory.linked_ids,
  evidence: memory.evidence,
  source: memory.source,
  recall_count: memory.recall_count,
  last_recalled_at: memory.last_recalled_at,
  created_at: memory.created_at
})
