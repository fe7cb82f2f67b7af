import { languageAmong } from "#pipeline/languages.ts"
import { memoize } from "#pipeline/memoize.ts"
import type { Conversation } from "./Conversation.ts"

/**
 * Penalty for a line in another language that the character speaks. Such a line is only said if there is none in this
 * one.
 */
const OTHER_LANGUAGE = 0.5
const MAX_LINES = 4000

const amongOf = memoize(100, (spoken) => memoize(MAX_LINES, (line) => languageAmong(line, spoken.split(","))))

/** The penalty for a line in a language other than that of the conversation. Lines of unknown language have none. */
export const foreignness = ({
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
