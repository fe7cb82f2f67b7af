import * as z from "zod"
import { EVIDENCE_KINDS, EVIDENCE_MAX_CHARS, EVIDENCE_STATUSES, EVIDENCE_TRUST } from "#pipeline/evidence/Evidence.ts"
import { moment } from "#src/http/server/schemas/moment.ts"
import { wholeBetween } from "#src/http/server/schemas/number.ts"
import { text } from "#src/http/server/schemas/text.ts"

export const evidenceKind = z.enum(EVIDENCE_KINDS)
export const evidenceStatus = z.enum(EVIDENCE_STATUSES)

const source = z.object({
  title: text(1, 200).optional(),
  url: text(1, 2000).optional().meta({ description: "Address of the source. It is not fetched" }),
  license: text(1, 200).optional(),
  retrieved_at: moment.optional(),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional()
    .meta({ description: "SHA-256 of the whole source. Default: of the text" })
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
      description: "Text of the source, word for word. Replies get passages of it as quotes",
      examples: ["The lighthouse at Kvalnes was built in 1891."]
    }),
    source: source
      .extend({
        session_id: z
          .string()
          .max(64)
          .optional()
          .meta({ description: "For session_turn: the session, with which the evidence is erased" })
      })
      .optional(),
    trust: z
      .enum(EVIDENCE_TRUST)
      .default("app")
      .meta({
        description:
          "Who vouches for the text. Passages from user and web count less in searches, and replies say them only " +
          "with doubt"
      }),
    status: z
      .enum(["active", "disputed"])
      .default("active")
      .meta({ description: "disputed: the evidence is kept, but replies do not get it" })
  })
  .superRefine(({ kind, source }, context) => {
    if (kind === "session_turn" && source?.session_id === undefined)
      context.addIssue({ code: "custom", path: ["source", "session_id"], message: "Required for a session_turn" })
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
    .describe("The run that found it. Replies get it only after a finding based on it has been accepted"),
  used_by: z.array(z.string()).describe("Paths of the character that were changed by accepted findings based on it"),
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
        accepted_version: z.int().nullable().describe("The version of the character that the acceptance created")
      })
    )
    .describe("Accepted findings that are based on it. Their changes stay in the character until you revert them")
})
export const EvidenceFound = z.object({
  pieces: z.array(
    z.object({
      evidence_id: z.string(),
      title: z.string().nullable(),
      text: z.string(),
      score: z.number().describe("0 to 1, relative to the best result")
    })
  )
})
