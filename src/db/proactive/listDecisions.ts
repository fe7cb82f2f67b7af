import type * as Context from "effect/Context"
import type { Reason } from "#pipeline/domain/ProactiveBrief.ts"
import { decidedOf, skippedByOf } from "#src/db/conversation/proactiveOutcomes.ts"
import type { Database } from "#src/db/postgres/Database.ts"

export interface StoredDecision {
  readonly decision_id: string
  readonly at: Date
  readonly session_id: string
  readonly reason: Reason | null
  readonly decision: "sent" | "skipped"
  readonly skipped_by: string | null
  readonly run_ref: string | null
  readonly next_eligible_at: Date | null
}

interface DecisionFilter {
  readonly sessionId: string | null
  readonly before: string | null
  readonly limit: number
}

/** Newest first, of one session or of all, those before `before`. */
export const makeListDecisions =
  ({ query }: Context.Service.Shape<typeof Database>) =>
  (appId: string, { sessionId, before, limit }: DecisionFilter) =>
    query<Array<StoredDecision>>(
      (sql) => sql`
      select d.decision_id, d.at, d.session_id, d.reason, t.run_ref, d.next_eligible_at,
        ${decidedOf(sql)} as decision, ${skippedByOf(sql)} as skipped_by
      from proactive_decisions d left join turns t on t.app_id = d.app_id and t.session_id = d.session_id
        and t.turn_index = d.turn_index
      where d.app_id = ${appId} and (${sessionId}::text is null
        or d.session_id = ${sessionId}) and (${before}::text is null or d.decision_id < ${before})
      order by d.decision_id desc limit ${limit}::int`
    )
