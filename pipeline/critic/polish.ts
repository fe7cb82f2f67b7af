import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Turn } from "../domain/Turn.ts"
import { type EmittedDraft, emit } from "../emission/emit.ts"
import type { GateContext } from "../emission/gates.ts"
import type { TurnTrace } from "../TurnTrace.ts"
import { type Critic, needsRewrite } from "./Critic.ts"
import { keepsFacts } from "./keepsFacts.ts"

/** How many of the character's last messages the critic compares with. */
const BEFORE = 6

/**
 * Has a draft judged, and rewritten if it is flawed. The rewrite is kept only if it passes the gates and still says
 * what it cites. A draft that does not pass the gates is not judged. This step is optional: if anything fails here, the
 * draft stands.
 */
export const polish = Effect.fnUntraced(function* (
  critic: Critic,
  trace: TurnTrace,
  turn: Turn,
  draft: EmittedDraft,
  context: GateContext
): Effect.fn.Return<EmittedDraft> {
  const passes = (draft: EmittedDraft) => emit(draft, context).refusedBy === null
  if (!passes(draft)) return draft
  const about = { turn, draft: draft.bubbles, before: context.characterTexts.slice(-BEFORE) }
  const judged = yield* Effect.result(
    trace.paidStage(
      "critic",
      (onSpent) => critic.critique({ ...about, onSpent }),
      ({ critique, usage }) => ({
        decision: needsRewrite(critique) ? "rewrite" : "good",
        usage
      })
    )
  )
  if (Result.isFailure(judged) || !needsRewrite(judged.success.critique)) return draft
  const cited = draft.citedIds.flatMap((id) => context.memories.get(id) ?? [])
  const keep = (bubbles: ReadonlyArray<string>) =>
    passes({ ...draft, bubbles }) && keepsFacts(draft.bubbles, bubbles, cited)
  const rewritten = yield* Effect.result(
    trace.paidStage(
      "rewrite",
      (onSpent) => critic.rewrite({ ...about, critique: judged.success.critique, onSpent }),
      ({ bubbles, usage }) => ({
        decision: keep(bubbles) ? "kept" : "dropped",
        usage
      })
    )
  )
  return Result.isSuccess(rewritten) && keep(rewritten.success.bubbles)
    ? { ...draft, bubbles: rewritten.success.bubbles }
    : draft
})
