import type { ChatMessage } from "../chat.ts"
import { shownHistory } from "../retrieval/shownHistory.ts"
import type { Utterance } from "../retrieval/Transcript.ts"

const OPENING = "(The chat begins.)"

/** Characters with a meaning for chat templates (`<|im_end|>`, `[INST]`) or for our blocks, as look-alikes without. */
const withoutMarkup = (text: string): string =>
  text.replace(/<(?=[|/\p{L}_])/gu, "‹").replace(/\[(\/?[A-Z_]{2,40})\]/g, "($1)")

/** One bubble per paragraph, as a reply is to be written. */
const contentOf = ({ role, text }: Utterance): string =>
  withoutMarkup(role === "user" ? text : text.replace(/\n+/g, "\n\n"))

/** What was said, as chat turns that alternate and start with the person, as the templates of many models require. */
export const historyTurns = (history: ReadonlyArray<Utterance>): ReadonlyArray<ChatMessage> => {
  const turns: Array<{ role: "user" | "assistant"; content: string }> = []
  for (const said of shownHistory(history)) {
    const role = said.role === "user" ? "user" : "assistant"
    const last = turns.at(-1)
    if (last === undefined && role === "assistant") turns.push({ role: "user", content: OPENING })
    if (last?.role === role) last.content += `\n\n${contentOf(said)}`
    else turns.push({ role, content: contentOf(said) })
  }
  return turns
}
