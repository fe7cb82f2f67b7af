import { fillMacros } from "#pipeline/domain/macros.ts"
import { rotate, seedOf } from "#pipeline/domain/seed.ts"
import type { WriteRequest } from "#pipeline/generation/Writer.ts"
import { asksWhatYouAre } from "#pipeline/safety/candour.ts"
import { type Act, actOf } from "./acts.ts"
import { ACT_LINES, CANDID_LINES, NEUTRAL_LINES } from "./lines.ts"
import { type Repertoire, repertoireOf } from "./repertoire.ts"

/** From here on an example answers the message even if the message looks like small talk. */
const NEARLY_THE_SAME = 0.8
const ALIKE = 0.35
/** Nothing is said again within this many of the character's own messages. */
const REMEMBERED = 10

/** What could be said, the best first. Lazy, so that a good first choice costs nothing more. */
function* candidates(text: string, { examples, byAct, candid, anytime }: Repertoire, seed: number): Generator<string> {
  if (asksWhatYouAre(text)) {
    yield* rotate(candid, seed)
    return yield* rotate(CANDID_LINES, seed)
  }
  const hits = examples.search(text)
  for (const { item, score } of hits) if (score >= NEARLY_THE_SAME) yield item.character
  const act: Act | null = actOf(text)
  if (act !== null) {
    yield* rotate(byAct[act], seed)
    yield* rotate(ACT_LINES[act], seed)
  }
  for (const { item, score } of hits) if (score >= ALIKE) yield item.character
  yield* rotate(anytime, seed)
  yield* rotate(NEUTRAL_LINES, seed)
}

const sameWords = (text: string): string => text.replace(/\s+/g, " ").trim()

/** The line for this turn: the best that was not said lately. After a refusal it is the one after that. */
export const choose = ({ turn, history, refusedBy }: WriteRequest): string => {
  const names = { character: turn.character.display_name, user: turn.endUser.displayName }
  const said = new Set(history.filter(({ role }) => role === "character").slice(-REMEMBERED).map(({ text }) => sameWords(text)))
  let refused: string | null = null
  let repeated: string | null = null
  for (const candidate of candidates(turn.text, repertoireOf(turn.character), seedOf(turn))) {
    const line = fillMacros(candidate, names)
    if (line === refused) continue
    if (said.has(sameWords(line))) repeated ??= line
    else if (refusedBy !== null && refused === null) refused = line
    else return line
  }
  // Everything has been said, so the best is said again.
  return repeated ?? refused ?? ""
}
