import { fillMacros } from "../domain/macros.ts"
import { rotate, seedOf } from "../domain/seed.ts"
import type { Turn } from "../domain/Turn.ts"
import type { Utterance } from "../retrieval/Transcript.ts"
import { asksWhatYouAre, CANDID_LINES } from "../safety/candour.ts"
import { emit } from "./emit.ts"
import type { GateContext } from "./gates.ts"

const NEUTRAL_LINES: ReadonlyArray<string> = [
  "Sorry, I lost my thread there. Say that again?",
  "Hm. Give me a moment with that one.",
  "I don't have the right words for that just now.",
  "Let me come at that another way. What made you think of it?",
  "My mind went blank. Tell me a little more?"
]

/** What is said when no draft passed: an authored line, else one of ours. An authored line has to pass the same gates. */
export const fallbackBubbles = (turn: Turn, history: ReadonlyArray<Utterance>, context: GateContext): ReadonlyArray<string> => {
  const seed = seedOf(turn)
  const names = { character: turn.character.display_name, user: turn.endUser.displayName }
  const lines = asksWhatYouAre(turn.text)
    ? rotate(CANDID_LINES, seed)
    : [...rotate(turn.character.fallback_lines, seed).map((line) => fillMacros(line, names)), ...rotate(NEUTRAL_LINES, seed)]
  const sayable = lines.flatMap((line) => emit([line], turn.character.voice, context).bubbles === null ? [] : [line])
  const line = sayable.find((line) => !history.some((said) => said.role === "character" && said.text === line)) ?? sayable[0]
  return emit([line ?? "..."], turn.character.voice, context).bubbles ?? ["..."]
}
