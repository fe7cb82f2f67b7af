import * as Effect from "effect/Effect"
import type { Turn } from "../domain/Turn.ts"
import { Decision } from "../generation/Writer.ts"
import { ground } from "../grounding/ground.ts"
import { knowledgeOf } from "../knowledge/knowledgeOf.ts"
import type { Retrieval } from "../retrieval/retrieve.ts"
import type { SafetyVerdict } from "../safety/judge.ts"
import { SpendingLimit } from "../SpendingLimit.ts"
import type { TurnServices } from "./TurnServices.ts"

/** Runs an optional stage before the reply, so that what is left afterwards still pays for the reply. */
export const keepReplyAffordable = Effect.fnUntraced(function* <A, E, R>(
  { mostMicroUsd }: TurnServices["writer"],
  turn: Turn,
  { history, retrieved, relationship, trust }: Retrieval,
  safety: SafetyVerdict,
  optional: Effect.Effect<A, E, R>
): Effect.fn.Return<A, E, R> {
  const limit = yield* SpendingLimit
  if (limit === null || mostMicroUsd === undefined) return yield* optional
  const memories = { history, recalled: retrieved.recalled, remembered: retrieved.memories }
  const knowledge = knowledgeOf(turn.character, null, trust)
  const kept = mostMicroUsd({
    turn,
    history,
    retrieved,
    relationship,
    safety,
    grounding: yield* ground(turn, memories, null),
    // An analysis may say that the message asks for secrets. The prompt then has them all.
    knowledge: { ...knowledge, soughtSecrets: knowledge.mustNotReveal.slice(0, 1) },
    decisions: Decision.literals,
    refusedBy: null,
    onSpent: () => Effect.void
  })
  return yield* Effect.provideService(optional, SpendingLimit, limit.keeping(kept))
})
