import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Outcome } from "../domain/Turn.ts"
import type { EmittedDraft } from "../emission/emit.ts"
import type { GateName } from "../emission/gates.ts"
import { wrongWords } from "../emission/wrongWords.ts"
import { draftOf, emitDraft, type ReplyContext, repliedOutcome } from "./ReplyContext.ts"
import type { TurnServices } from "./TurnServices.ts"
import { type Unwritten, writeReply } from "./writeReply.ts"

/** A refused draft and the gate that refused it. */
export interface RefusedDraft {
  readonly by: GateName
  readonly draft: EmittedDraft
}

/** Redrafts once after a refusal. Returns the reply that passed, or the last refused draft. */
export const redraftOnce = Effect.fnUntraced(function* (
  writer: TurnServices["writer"],
  replyContext: ReplyContext,
  request: Unwritten,
  first: RefusedDraft
): Effect.fn.Return<{ readonly outcome: Outcome } | { readonly refused: RefusedDraft }> {
  const redraft = yield* Effect.result(
    writeReply(writer, replyContext.trace, {
      ...request,
      decisions: ["reply"],
      refusedBy: first.by,
      refusedDraft: {
        bubbles: first.draft.bubbles,
        wrong: wrongWords(first.draft, first.by, replyContext.context)
      }
    })
  )
  if (Result.isFailure(redraft)) return { refused: first }
  const draft = draftOf(redraft.success)
  const { refusedBy, bubbles } = yield* emitDraft(replyContext, draft)
  return refusedBy === null
    ? { outcome: yield* repliedOutcome(replyContext, bubbles, redraft.success) }
    : { refused: { by: refusedBy, draft } }
})
