import * as z from "zod"
import { MemoryKind, MemorySource, MemoryStatus, MemorySubject } from "#pipeline/relational/Relationship.ts"
import { moment } from "#src/http/server/schemas/moment.ts"
import { unit, wholeBetween } from "#src/http/server/schemas/number.ts"
import { text } from "#src/http/server/schemas/text.ts"

export const memoryKind = z.enum(MemoryKind.literals)
export const memoryStatus = z.enum(MemoryStatus.literals)
const subject = z.enum(MemorySubject.literals)
const about = z
  .object({ name: text(1, 80).nullable().default(null), relation: text(1, 40).nullable().default(null) })
  .refine(({ name, relation }) => name !== null || relation !== null, "Give a name, a relation, or both.")
  .nullable()
  .meta({ description: "Who else it is about, such as Jack, a friend" })
const memoryText = text(1, 500).meta({
  description: "One plain sentence. Text that instructs the character is quarantined",
  examples: ["Nadia plays the cello."]
})
const validAt = moment.meta({ description: "Since when the memory is true" })

export const MemoryCreate = z.object({
  text: memoryText,
  kind: memoryKind.default("fact"),
  subject: subject.default("user"),
  about: about.default(null),
  importance: wholeBetween(1, 10).default(5),
  confidence: unit().default(1),
  pinned: z
    .boolean()
    .default(false)
    .meta({ description: "Protects the memory from being dropped. At most 50 per session" }),
  valid_at: validAt.optional()
})
export const MemoryPatch = z
  .object({
    text: memoryText.optional(),
    kind: memoryKind.optional(),
    subject: subject.optional(),
    about: about.optional(),
    importance: wholeBetween(1, 10).optional(),
    confidence: unit().optional(),
    pinned: z.boolean().optional(),
    valid_at: validAt.optional(),
    status: z.enum(["active", "superseded"]).optional().meta({
      description: "superseded: no longer true. A quarantined memory stays quarantined until its text changes"
    })
  })
  .meta({ description: "Omitted fields stay unchanged. A new text sets source to app" })
export const MemorySearchBody = z.object({
  query: text(1, 1000),
  limit: wholeBetween(1, 50).default(10),
  as_of: moment.optional().meta({ description: "Search what was true at this time, even if it was superseded later" })
})

const time = z.iso.datetime()
export const MemoryData = z.object({
  id: z.string(),
  session_id: z.string(),
  kind: memoryKind,
  subject,
  about: z
    .object({ name: z.string().nullable(), relation: z.string().nullable() })
    .nullable()
    .describe("Who else it is about. Null: the person, or unknown"),
  text: z.string().describe("Empty when the memory is forgotten"),
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
    .describe(
      "The person's words, and where they are on the log. For a frequently repeated fact, only the latest are kept"
    ),
  source: z.enum(MemorySource.literals),
  recall_count: z.int().describe("Number of replies that used the memory"),
  last_recalled_at: time.nullable(),
  created_at: time
})
export const MemoryPage = z.object({ memories: z.array(MemoryData), next_cursor: z.string().nullable() })

const share = z.number().min(0).max(1)
export const FoundMemoryData = MemoryData.extend({
  score: z.object({
    total: z.number().describe("lexical + 0.05 recency + 0.15 importance, plus 0.1 if pinned"),
    lexical: share.describe("Lexical match with the query, relative to the best result"),
    recency: share,
    importance: share,
    dense: z.null().describe("Always null: memories are not embedded")
  })
})
export const MemoriesFound = z.object({ memories: z.array(FoundMemoryData) })
