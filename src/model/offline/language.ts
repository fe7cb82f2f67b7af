import { languageAmong } from "#pipeline/languages.ts"
import { remembered } from "#pipeline/remembered.ts"
import type { Conversation } from "./Conversation.ts"

/** A line in another language that the character speaks is said only where there is none in this one. */
const OTHER_LANGUAGE = 0.5
const MOST_LINES = 4000

const amongOf = remembered(100, (spoken) => remembered(MOST_LINES, (line) => languageAmong(line, spoken.split(","))))

/**
 * What it costs a line to be in another language than that of the conversation. Lines that could be in either cost
 * nothing.
 */
export const strangeness = ({
  spoken,
  language
}: Pick<Conversation, "spoken" | "language">): ((line: string) => number) => {
  if (language === null) return () => 0
  const among = amongOf(spoken.join(","))
  return (line) => {
    const found = among(line)
    return found === null || found === language ? 0 : OTHER_LANGUAGE
  }
}
