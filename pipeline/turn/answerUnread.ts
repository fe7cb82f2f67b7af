import { forwardedWords, isOnlyForwarded } from "../domain/referred.ts"
import { Outcome, type Turn } from "../domain/Turn.ts"
import { unreadKind } from "../domain/unread.ts"
import { languageAmong, languageOf, tagsOf } from "../languages.ts"
import type { Utterance } from "../retrieval/Transcript.ts"
import type { TextsByTag } from "../texts/OwnTexts.ts"
import { TEXT_LANGUAGES, textsFor } from "../texts/textsFor.ts"
import type { TurnTrace } from "../TurnTrace.ts"
import type { Judged } from "./judgeTurn.ts"

/** How many of the person's messages are read to find their language. */
const RECENT_MESSAGES = 5

const tagsFor = ({ character, endUser }: Turn, history: ReadonlyArray<Utterance>): ReadonlyArray<string | null> => {
  const written = history
    .filter(({ role }) => role === "user")
    .slice(-RECENT_MESSAGES)
    .map(({ text }) => text)
    .join("\n")
  const tags = [endUser.locale, ...character.voice.languages]
  const spoken = languageOf(written) ?? languageAmong(written, TEXT_LANGUAGES)
  const alike = spoken === null ? [] : tagsOf(spoken, tags)
  return [...(alike.length > 0 ? alike : [spoken]), ...tags]
}

/** Answers a message without words honestly: nobody has listened to it or seen it. Null: the message has words. */
export const answerUnread = (
  trace: TurnTrace,
  turn: Turn,
  { preface }: Judged,
  history: ReadonlyArray<Utterance>,
  own: TextsByTag
): Outcome | null => {
  const kind =
    turn.proactive === undefined ? unreadKind(isOnlyForwarded(turn) ? forwardedWords(turn) : turn.text) : null
  if (kind === null) return null
  for (const stage of ["knowledge", "generation", "emission"] as const) trace.skip(stage, kind)
  const ways = textsFor(tagsFor(turn, history), own)[kind]
  const way = ways[turn.turnIndex % ways.length] ?? ways[0]
  return Outcome.cases.Replied.make({ bubbles: [...preface, way] })
}
