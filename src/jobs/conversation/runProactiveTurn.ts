import * as Effect from "effect/Effect"
import type { ProactiveBrief } from "#pipeline/domain/ProactiveBrief.ts"
import { Outcome } from "#pipeline/domain/Turn.ts"
import type { ClaimRow } from "#src/db/conversation/claimTurns.ts"
import { untilReachable } from "#src/db/postgres/retry.ts"
import { ProactiveDecisions } from "#src/db/proactive/ProactiveDecisions.ts"

/**
 * A proactive message is only sent if the gates still allow it. They are checked before it is written and again before
 * it is sent.
 */
export const makeRunProactiveTurn = Effect.map(ProactiveDecisions, (proactiveDecisions) =>
  Effect.fnUntraced(function* (row: ClaimRow, proactive: ProactiveBrief, write: Effect.Effect<Outcome>) {
    const objection = untilReachable(
      proactiveDecisions.recheckGates({
        appId: row.app_id,
        sessionId: row.session_id,
        turnIndex: row.turn_index,
        acceptedAt: row.accepted_at,
        proactive
      })
    )
    const before = yield* objection
    if (before !== null) return Outcome.cases.Withheld.make({ by: before })
    const outcome = yield* write
    const after = Outcome.guards.Replied(outcome) ? yield* objection : null
    return after === null ? outcome : Outcome.cases.Withheld.make({ by: after })
  })
)
