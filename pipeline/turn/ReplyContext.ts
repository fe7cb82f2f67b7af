import * as Effect from "effect/Effect"
import { Outcome, type Turn } from "../domain/Turn.ts"
import { type EmittedDraft, emit } from "../emission/emit.ts"
import { type GateContext, openQuestion } from "../emission/gates.ts"
import { pictureOf } from "../emission/picture.ts"
import type { Reply } from "../generation/Writer.ts"
import { languageAmong } from "../languages.ts"
import { summarizeEmission } from "../stageSummaries.ts"
import { messageLanguage } from "../safety/messageScores.ts"
import { SAFETY_LANGUAGES, type SafetyTextsByLocale, safetyTextsFor } from "../safety/texts.ts"
import type { TextsByTag } from "../texts/OwnTexts.ts"
import type { TurnTrace } from "../TurnTrace.ts"
import type { Judged } from "./judgeTurn.ts"

/** What all drafts of a turn are checked against, and what is sent along with the one that passes. */
export interface ReplyContext extends Judged {
  readonly trace: TurnTrace
  readonly turn: Turn
  readonly context: GateContext
  /** The operator's own texts. */
  readonly ownTexts: TextsByTag
  /** The question whether an AI answers, if it is open. */
  readonly question: string | null
}

export const replyContextOf = (
  trace: TurnTrace,
  turn: Turn,
  { safety, texts, preface }: Judged,
  context: GateContext,
  { safetyTexts, ownTexts }: { readonly safetyTexts: SafetyTextsByLocale; readonly ownTexts: TextsByTag }
): ReplyContext => {
  const question = openQuestion(context)
  // The disclosure is in the language of the question.
  const asking = question === null ? null : (messageLanguage(question) ?? languageAmong(question, SAFETY_LANGUAGES))
  const { ai_disclosure } = asking === null ? texts : safetyTextsFor([asking], safetyTexts)
  return { trace, turn, safety, texts: { ...texts, ai_disclosure }, ownTexts, preface, context, question }
}

export const draftOf = ({ bubbles, cited_memory_ids }: Reply): EmittedDraft => ({ bubbles, citedIds: cited_memory_ids })

/** The emission stage, for one draft. */
export const emitDraft = ({ trace, context }: ReplyContext, draft: EmittedDraft) =>
  trace.stage(
    "emission",
    Effect.sync(() => emit(draft, context)),
    summarizeEmission
  )

/** The outcome for bubbles that passed, with the picture that the reply asks for, if it is allowed. */
export const repliedOutcome = Effect.fnUntraced(function* (
  { trace, turn, safety, preface }: ReplyContext,
  passed: ReadonlyArray<string>,
  reply: Reply
): Effect.fn.Return<Outcome> {
  const bubbles = [...preface, ...passed]
  const asked = pictureOf(turn, safety, reply)
  if (asked === null) return Outcome.cases.Replied.make({ bubbles })
  if ("dropped" in asked) trace.skip("image", asked.dropped)
  else yield* trace.stage("image", Effect.void, () => ({ decision: "requested" }))
  return Outcome.cases.Replied.make({ bubbles, ...("wish" in asked && { picture: asked.wish }) })
})
