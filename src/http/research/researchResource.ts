import type { StoredFinding } from "#src/db/research/Findings.ts"
import type { StoredResearch } from "#src/db/research/Research.ts"
import { toUsd } from "#src/http/server/usd.ts"

const iso = (time: Date | string | null) => (time === null ? null : new Date(time).toISOString())

export const toFinding = (finding: StoredFinding) => ({
  id: finding.finding_id,
  research_id: finding.research_id,
  claim: finding.claim,
  confidence: finding.confidence,
  evidence_ids: finding.quotes.map(({ evidence_id }) => evidence_id),
  quotes: finding.quotes,
  proposed_change: finding.proposed_change,
  status: finding.status,
  accepted_version: finding.accepted_version,
  created_at: iso(finding.created_at),
  decided_at: iso(finding.decided_at)
})

export const toResearchSummary = (run: StoredResearch) => ({
  id: run.research_id,
  character_slug: run.slug,
  trace_id: run.run_ref,
  question: run.question,
  purpose: run.purpose,
  status: run.status,
  progress: {
    sources: run.sources.map(({ kind, url, evidence_id, title, status, parts_read, parts, error_code }) => ({
      kind,
      url,
      evidence_id,
      title,
      status,
      parts_read,
      parts,
      error_code
    })),
    sources_done: run.sources.filter(({ status }) => status !== "queued").length,
    sources_total: run.sources.length,
    findings: run.found
  },
  max_cost_usd: toUsd(run.max_micro_usd),
  cost_usd: toUsd(run.spent_micro_usd),
  error_code: run.error_code,
  created_at: iso(run.created_at),
  started_at: iso(run.started_at),
  finished_at: iso(run.finished_at)
})
