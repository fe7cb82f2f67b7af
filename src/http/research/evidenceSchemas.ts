import * as z from "zod"
import { EVIDENCE_KINDS, EVIDENCE_MAX_CHARS, EVIDENCE_STATUSES, EVIDENCE_TRUST } from "#pipeline/evidence/Evidence.ts"
import { moment } from "#src/http/server/schemas/moment.ts"
import { wholeBetween } from "#src/http/server/schemas/number.ts"
import { text } from "#src/http/server/schemas/text.ts"

export const evidenceKind = z.enum(EVIDENCE_KINDS)
export const evidenceStatus = z.enum(EVIDENCE_STATUSES)

const source = z.object({
  title: text(1, 200).optional(),
  url: text(1, 2000).optional().meta({ description: "Where it stands; it is not fetched" }),
  license: text(1, 200).optional(),
  retrieved_at: moment.optional(),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional()
    .meta({ description: "Of the whole source. Default: of the text" })
})
const evidenceText = text(1, EVIDENCE_MAX_CHARS)

/** Evidence from an import, which belongs to no session. */
export const BundleEvidence = z.object({
  kind: evidenceKind.exclude(["session_turn"]).default("author_note"),
  text: evidenceText,
  source: source.optional(),
  trust: z.enum(EVIDENCE_TRUST).default("authored"),
  status: z.enum(["active", "disputed"]).optional()
})

export const EvidenceCreate = z
  .object({
    kind: evidenceKind,
    text: evidenceText.meta({
      description: "In the words of the source. Replies are given pieces of it, quoted",
      examples: ["The lighthouse at Kvalnes was built in 1891."]
    }),
    source: source
      .extend({
        session_id: z
          .string()
          .max(64)
          .optional()
          .meta({ description: "Of a session_turn: it is erased with this session" })
      })
      .optional(),
    trust: z.enum(EVIDENCE_TRUST).default("app"),
    status: z
      .enum(["active", "disputed"])
      .default("active")
      .meta({ description: "What is disputed is kept, and no reply is given it" })
  })
  .superRefine(({ kind, source }, context) => {
    if (kind === "session_turn" && source?.session_id === undefined)
      context.addIssue({ code: "custom", path: ["source", "session_id"], message: "Required of a session_turn" })
    if (kind !== "session_turn" && source?.session_id !== undefined)
      context.addIssue({ code: "custom", path: ["source", "session_id"], message: "Only allowed for a session_turn" })
  })
export const EvidenceSearch = z.object({ query: text(1, 1000), limit: wholeBetween(1, 50).default(10) })

const time = z.iso.datetime()
export const EvidenceData = z.object({
  id: z.string(),
  character_slug: z.string(),
  kind: evidenceKind,
  text: z.string(),
  source: z.object({
    title: z.string().nullable(),
    url: z.string().nullable(),
    license: z.string().nullable(),
    retrieved_at: z.string().nullable(),
    sha256: z.string(),
    session_id: z.string().nullable()
  }),
  trust: z.enum(EVIDENCE_TRUST),
  status: evidenceStatus,
  research_id: z
    .string()
    .nullable()
    .describe("The run that found it: replies are given it once a finding that rests on it has been accepted"),
  used_by: z.array(z.string()).describe("Places of the character that accepted findings which rest on it have changed"),
  created_at: time,
  updated_at: time
})
export const EvidencePage = z.object({ evidence: z.array(EvidenceData), next_cursor: z.string().nullable() })
export const EvidenceRetracted = EvidenceData.extend({
  dependents: z
    .array(
      z.object({
        research_id: z.string(),
        finding_id: z.string(),
        claim: z.string(),
        path: z.string().nullable(),
        accepted_version: z.int().nullable().describe("The version of the character that the acceptance wrote")
      })
    )
    .describe("What was accepted because of it. It stays in the character until you change it")
})
export const EvidenceFound = z.object({
  pieces: z.array(
    z.object({
      evidence_id: z.string(),
      title: z.string().nullable(),
      text: z.string(),
      score: z.number().describe("0 to 1, against the best")
    })
  )
})
