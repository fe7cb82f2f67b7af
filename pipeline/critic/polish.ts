import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Turn } from "../domain/Turn.ts"
import type { EmittedDraft } from "../emission/emit.ts"
import type { Trail } from "../Trail.ts"
import { type Critic, needsRewrite } from "./Critic.ts"
import { keepsFacts } from "./keepsFacts.ts"

const BEFORE = 6

export interface PolishRequest {
  readonly turn: Turn
  readonly draft: EmittedDraft
  /** What the character said, oldest first. */
  readonly characterTexts: ReadonlyArray<string>
  /** The texts of the memories that the draft cites. */
  readonly cited: ReadonlyArray<string>
  /** Whether a draft would be let out as it is. */
  readonly passes: (draft: EmittedDraft) => boolean
}

/**
 * Has a draft judged, and written once more when it is flawed. The rewrite is kept only if it could go out and still says what it cites.
 * Advice: whatever fails here, the draft stands.
 */
export const polish = Effect.fnUntraced(function*(critic: Critic, trail: Trail, { turn, draft, characterTexts, cited, passes }: PolishRequest): Effect.fn.Return<EmittedDraft> {
  const about = { turn, draft: draft.bubbles, before: characterTexts.slice(-BEFORE) }
  const judged = yield* Effect.result(trail.paying("critic", (onSpent) => critic.critique({ ...about, onSpent }), ({ critique, usage }) => ({
    decision: needsRewrite(critique) ? "rewrite" : "good", usage
  })))
  if (Result.isFailure(judged) || !needsRewrite(judged.success.critique)) return draft
  const keep = (bubbles: ReadonlyArray<string>) => passes({ ...draft, bubbles }) && keepsFacts(draft.bubbles, bubbles, cited)
  const rewritten = yield* Effect.result(trail.paying("rewrite", (onSpent) => critic.rewrite({ ...about, critique: judged.success.critique, onSpent }), ({ bubbles, usage }) => ({
    decision: keep(bubbles) ? "kept" : "dropped", usage
  })))
  return Result.isSuccess(rewritten) && keep(rewritten.success.bubbles) ? { ...draft, bubbles: rewritten.success.bubbles } : draft
})
