import * as z from "zod"
import { MemoryKind, MemorySource, MemoryStatus, MemorySubject } from "#pipeline/relational/Relationship.ts"
import { moment } from "#src/http/server/schemas/moment.ts"
import { unit, wholeBetween } from "#src/http/server/schemas/number.ts"
import { text } from "#src/http/server/schemas/text.ts"

export const memoryKind = z.enum(MemoryKind.literals)
export const memoryStatus = z.enum(MemoryStatus.literals)
const subject = z.enum(MemorySubject.literals)
const memoryText = text(1, 500).meta({
  description: "One plain sentence. What would instruct the character is put in quarantine",
  examples: ["Nadia plays the cello."]
})
const validAt = moment.meta({ description: "Since when it holds" })

export const MemoryCreate = z.object({
  text: memoryText,
  kind: memoryKind.default("fact"),
  subject: subject.default("user"),
  importance: wholeBetween(1, 10).default(5),
  confidence: unit().default(1),
  pinned: z.boolean().default(false).meta({ description: "Kept whatever else comes; at most 50 of a session" }),
  valid_at: validAt.optional()
})
export const MemoryPatch = z
  .object({
    text: memoryText.optional(),
    kind: memoryKind.optional(),
    subject: subject.optional(),
    importance: wholeBetween(1, 10).optional(),
    confidence: unit().optional(),
    pinned: z.boolean().optional(),
    valid_at: validAt.optional(),
    status: z.enum(["active", "superseded"]).optional().meta({
      description: "superseded: it no longer holds. What is in quarantine stays there until its text is another"
    })
  })
  .meta({ description: "What is left out stays. New words are the app's own: source is app then" })
export const MemorySearchBody = z.object({
  query: text(1, 1000),
  limit: wholeBetween(1, 50).default(10),
  as_of: moment.optional().meta({ description: "What was known to hold then, superseded since or not" })
})

const time = z.iso.datetime()
export const MemoryData = z.object({
  id: z.string(),
  session_id: z.string(),
  kind: memoryKind,
  subject,
  text: z.string().describe("Empty once it is forgotten"),
  importance: z.int(),
  confidence: z.number(),
  pinned: z.boolean(),
  status: memoryStatus,
  valid_at: time,
  invalid_at: time.nullable(),
  supersedes_id: z.string().nullable(),
  linked_ids: z.array(z.string()),
  evidence: z
    .array(z.object({ cursor: z.int(), quote: z.string() }))
    .describe("Where on the log the person said so, and the words; of what was said often only the latest are kept"),
  source: z.enum(MemorySource.literals),
  recall_count: z.int().describe("How many replies leaned on it"),
  last_recalled_at: time.nullable(),
  created_at: time
})
export const MemoryPage = z.object({ memories: z.array(MemoryData), next_cursor: z.string().nullable() })

const share = z.number().min(0).max(1)
export const FoundMemoryData = MemoryData.extend({
  score: z.object({
    total: z.number().describe("lexical + 0.05 recency + 0.15 importance, and 0.1 where it is pinned"),
    lexical: share.describe("How much of the search it carries, against the best"),
    recency: share,
    importance: share,
    dense: z.null().describe("No embeddings are in use")
  })
})
export const MemoriesFound = z.object({ memories: z.array(FoundMemoryData) })
