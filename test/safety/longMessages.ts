import { alarmIn } from "#pipeline/safety/alarm.ts"
import { readMessages } from "./training/messages.ts"

const asSentence = (text: string): string => text.replace(/[^.!?…]$/u, "$&.")
/**
 * Ordinary messages of the fourth held-out set, as sentences. The few that raise an alarm by themselves are counted in
 * the tables of that set, and left out here.
 */
const ORDINARY = Object.groupBy(
  readMessages("held-out").filter(
    ({ text, labels, author }) => labels.size === 0 && author === "fourth" && alarmIn(asSentence(text)) === null
  ),
  ({ language }) => language
)

const ordinary = (language: string, length: number, from: number): string => {
  const own = ORDINARY[language as keyof typeof ORDINARY] ?? []
  let text = ""
  for (let at = from; text.length < length; at++) text += `${asSentence(own[at % own.length]?.text ?? "")} `
  return text
}

/** A long message that has this sentence in its middle. Each turn begins with another ordinary sentence. */
export const inLongMessage = (sentence: string, language: string, length: number, turn: number): string =>
  `${ordinary(language, length / 2, turn * 17)}${asSentence(sentence)} ` +
  `${ordinary(language, length / 2, turn * 17 + 120)}`
