import * as Effect from "effect/Effect"
import type { Turn } from "../domain/Turn.ts"
import type { Analysis } from "../grounding/Analysis.ts"
import { languageAmong } from "../languages.ts"
import type { Utterance } from "../retrieval/Transcript.ts"
import {
  DISCLOSED,
  gentlyAfter,
  judge,
  REMINDED,
  type SafetyVerdict,
  TOLD_UNDER_AGE,
  verdictName
} from "../safety/judge.ts"
import {
  SAFETY_LANGUAGES,
  safetyLanguages,
  type SafetyTexts,
  type SafetyTextsByLocale,
  safetyTextsFor
} from "../safety/texts.ts"
import type { TurnTrace } from "../TurnTrace.ts"
import type { TurnServices } from "./TurnServices.ts"

export interface Judged {
  readonly safety: SafetyVerdict
  /** In the language of the message, or else of the character or person. */
  readonly texts: SafetyTexts
  /** What is sent before the reply: that an AI answers, and the reminder to take a break. */
  readonly preface: ReadonlyArray<string>
}

const hasAnswered = (history: ReadonlyArray<Utterance>): boolean =>
  history.some(
    ({ role }, place) => role === "character" && history.slice(0, place).some((earlier) => earlier.role === "user")
  )

/** The safety stage: the verdict, and the safety messages that are sent in any case. */
export const judgeTurn = Effect.fnUntraced(function* (
  record: TurnServices["record"],
  trace: TurnTrace,
  turn: Turn,
  found: {
    readonly screened: SafetyVerdict
    readonly analysis: Analysis | null
    readonly history: ReadonlyArray<Utterance>
    readonly toldUnderAge: boolean
  },
  safetyTexts: SafetyTextsByLocale
): Effect.fn.Return<Judged> {
  const { screened, analysis, history, toldUnderAge } = found
  const { character, endUser } = turn
  const texts = safetyTextsFor(
    safetyLanguages(screened.language ?? languageAmong(turn.text, SAFETY_LANGUAGES), [
      character.safety.crisis_locale,
      endUser.locale,
      ...character.voice.languages
    ]),
    safetyTexts
  )
  return yield* trace.stage(
    "safety",
    Effect.gen(function* () {
      // Sent once, with the first answer. A greeting comes before the person has written.
      const opening = character.safety.ai_disclosure === "explicit" && !hasAnswered(history) ? texts.ai_opening : []
      const safety = gentlyAfter(judge(screened, analysis), history, turn.afterCrisis)
      const isDue = endUser.ageBand === "minor" && safety.action !== "crisis" && (yield* record.reminderDue(turn))
      const reminder = isDue ? texts.break_reminder : []
      return { safety, texts, opening, reminder, preface: [...opening, ...reminder] }
    }),
    ({ safety, opening, reminder }) => ({
      decision:
        verdictName(safety) +
        (toldUnderAge ? TOLD_UNDER_AGE : "") +
        (opening.length > 0 ? DISCLOSED : "") +
        (reminder.length > 0 ? REMINDED : "")
    })
  )
})
