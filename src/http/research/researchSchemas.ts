import * as z from "zod"
import { CHANGE_OPS, isChangePath, PURPOSES } from "#pipeline/research/Change.ts"
import { RESEARCH_STATUSES } from "#src/db/research/Research.ts"
import { between } from "#src/http/server/schemas/number.ts"
import { text } from "#src/http/server/schemas/text.ts"

/** One object for all kinds instead of a union, so that an answer says what is missing. */
const source = z
  .object({
    kind: z.enum(["text", "evidence", "url"]),
    text: text(1, 100_000).optional(),
    evidence_id: z.string().max(64).optional(),
    url: text(1, 2000).optional().meta({ description: "Only on hosts that the operator allows" })
  })
  .superRefine((given, context) => {
    const field = ({ text: "text", evidence: "evidence_id", url: "url" } as const)[given.kind]
    for (const one of ["text", "evidence_id", "url"] as const) {
      if (one === field && given[one] === undefined)
        context.addIssue({ code: "custom", path: [one], message: "Required" })
      if (one !== field && given[one] !== undefined)
        context.addIssue({ code: "custom", path: [one], message: `Not allowed for a source of kind ${given.kind}` })
    }
  })

export const ResearchCreate = z.object({
  question: text(1, 500).meta({ examples: ["When was the lighthouse built?"] }),
  purpose: z.enum(PURPOSES).meta({
    description: "Purpose of the answer. It determines which fields of the character a finding may change"
  }),
  sources: z.array(source).max(20),
  max_cost_usd: between(0, 5)
    .default(0.25)
    .meta({
      description:
        "Cost limit of the run. This amount, or the planned cost if that is " +
        "lower, is reserved in advance, and what is not spent is returned"
    })
})

export const researchStatus = z.enum(RESEARCH_STATUSES)

const proposedChange = z.object({ path: z.string(), op: z.enum(CHANGE_OPS), value: z.unknown() })

export const FindingAccept = z
  .object({
    proposed_change: z
      .object({
        path: z.string().max(100).refine(isChangePath, "A finding can't change this path"),
        op: z.enum(CHANGE_OPS),
        value: z.union([text(1, 4000), z.record(z.string(), z.unknown()), z.array(z.unknown()).max(300)])
      })
      .optional()
      .meta({ description: "Replaces the proposed change" })
  })
  .optional()

const time = z.iso.datetime()
export const FindingData = z.object({
  id: z.string(),
  research_id: z.string(),
  claim: z.string(),
  confidence: z.number(),
  evidence_ids: z.array(z.string()),
  quotes: z.array(z.object({ evidence_id: z.string(), quote: z.string().describe("Exact quote from the evidence") })),
  proposed_change: proposedChange.nullable(),
  status: z.enum(["proposed", "accepted", "rejected"]),
  accepted_version: z.int().nullable(),
  created_at: time,
  decided_at: time.nullable()
})

export const ResearchSummary = z.object({
  id: z.string(),
  character_slug: z.string(),
  trace_id: z.string().describe("Its trace_id in the list of runs"),
  question: z.string(),
  purpose: z.enum(PURPOSES),
  status: researchStatus,
  progress: z.object({
    sources: z.array(
      z.object({
        kind: z.enum(["text", "evidence", "url"]),
        url: z.string().nullable(),
        evidence_id: z.string().nullable(),
        title: z.string().nullable(),
        status: z.enum(["queued", "read", "failed"]),
        parts_read: z.int(),
        parts: z.int().nullable().describe("null: not fetched yet"),
        error_code: z.string().nullable()
      })
    ),
    sources_done: z.int(),
    sources_total: z.int(),
    findings: z.int()
  }),
  max_cost_usd: z.number(),
  cost_usd: z.number().describe("So far"),
  error_code: z.string().nullable().describe("max_cost_reached: some sources were not read"),
  created_at: time,
  started_at: time.nullable(),
  finished_at: time.nullable()
})
export const ResearchData = ResearchSummary.extend({ findings: z.array(FindingData) })
export const ResearchPage = z.object({ research: z.array(ResearchSummary), next_cursor: z.string().nullable() })
