import { CONTROL_FIELDS } from "#pipeline/proactive/controls.ts"
import { GATE_NAMES } from "#pipeline/proactive/gates.ts"
import { readPolicy } from "#pipeline/proactive/Policy.ts"
import type { StoredDecision } from "#src/db/proactive/listDecisions.ts"
import type { Evaluation, ProactiveState } from "#src/db/proactive/ProactiveDecisions.ts"
import type { StoredPolicy } from "#src/db/proactive/ProactivePolicies.ts"
import type { Session } from "#src/db/conversation/Sessions.ts"
import { toProactiveState } from "#src/http/conversation/sessionStateResource.ts"

const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())

/** A session's own overrides, and the resulting controls. */
export const toControlsResource = ({ session_id, proactive_controls }: Session, state: ProactiveState) => ({
  session_id,
  ...Object.fromEntries(CONTROL_FIELDS.map((field) => [field, proactive_controls[field] ?? null])),
  ...toProactiveState(state)
})

/** The policy with its defaults filled in. */
export const toPolicyResource = ({ policy, version }: StoredPolicy) => ({
  ...readPolicy(policy),
  minors: "off",
  version
})

export const toDecisionResource = (row: StoredDecision) => ({
  id: row.decision_id,
  at: row.at.toISOString(),
  session_id: row.session_id,
  reason: row.reason,
  decision: row.decision,
  skipped_by: row.skipped_by,
  run_ref: row.run_ref,
  next_eligible_at: row.next_eligible_at?.toISOString() ?? null
})

export const toEvaluationResource = (sessionId: string, dryRun: boolean, { at, decision, runRef }: Evaluation) => {
  const skippedBy = decision.send ? null : decision.skippedBy
  const shutAt = skippedBy === null ? GATE_NAMES.length : GATE_NAMES.indexOf(skippedBy)
  return {
    session_id: sessionId,
    evaluated_at: at.toISOString(),
    dry_run: dryRun,
    decision: decision.send ? "send" : "skip",
    reason: decision.candidate.reason,
    skipped_by: skippedBy,
    gates: GATE_NAMES.map((gate, index) => ({
      gate,
      result: index < shutAt ? "open" : index === shutAt ? "shut" : "not_reached"
    })),
    next_eligible_at: iso(decision.nextEligibleAt),
    run_ref: runRef
  }
}
