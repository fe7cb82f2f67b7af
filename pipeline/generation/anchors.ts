import { type Character, type ExampleTurn, exampleTurns } from "../domain/Character.ts"
import { ANCHORS_MAX_CHARS } from "./blockLimits.ts"

type Dialogue = ReadonlyArray<ExampleTurn>

/** Steps of this share of a list visit all its parts evenly, however many are taken. */
const GOLDEN = 0.618_033_988_75

const kept = new WeakMap<Character, ReadonlyArray<Dialogue>>()

/**
 * The authored dialogues that are part of every prompt: from all parts of the list, because authors write about one
 * theme after another, and in authored order. The same for every turn.
 */
export const anchorsOf = (character: Character): ReadonlyArray<Dialogue> => {
  const known = kept.get(character)
  if (known !== undefined) return known
  const { example_dialogues } = character
  const taken = new Set<number>()
  let left = ANCHORS_MAX_CHARS
  for (let step = 0; step < 2 * example_dialogues.length; step++) {
    const place = Math.floor(((step * GOLDEN) % 1) * example_dialogues.length)
    const dialogue = example_dialogues[place]
    if (dialogue === undefined || taken.has(place)) continue
    const chars = JSON.stringify(exampleTurns(dialogue)).length
    if (chars > left) continue
    left -= chars
    taken.add(place)
  }
  const anchors = example_dialogues.filter((_, place) => taken.has(place)).map(exampleTurns)
  kept.set(character, anchors)
  return anchors
}
