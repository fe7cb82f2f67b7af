import * as Effect from "effect/Effect"
import type { Initiative } from "#pipeline/domain/ProactiveBrief.ts"
import { Outcome } from "#pipeline/domain/Turn.ts"
import type { ClaimRow } from "#src/db/conversation/claimTurns.ts"
import { untilReachable } from "#src/db/postgres/retry.ts"
import { Initiatives } from "#src/db/proactive/ProactiveDecisions.ts"

/**
 * A proactive message is only sent if the gates still allow it. They are checked before it is written and again before
 * it is sent.
 */
export const makeSpeakUnasked = Effect.map(Initiatives, (initiatives) =>
  Effect.fnUntraced(function* (row: ClaimRow, initiative: Initiative, write: Effect.Effect<Outcome>) {
    const objection = untilReachable(
      initiatives.objection({
        appId: row.app_id,
        sessionId: row.session_id,
        turnIndex: row.turn_index,
        acceptedAt: row.accepted_at,
        initiative
      })
    )
    const before = yield* objection
    if (before !== null) return Outcome.cases.Withheld.make({ by: before })
    const outcome = yield* write
    const after = Outcome.guards.Replied(outcome) ? yield* objection : null
    return after === null ? outcome : Outcome.cases.Withheld.make({ by: after })
  })
)
