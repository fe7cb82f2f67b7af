import { type Character, type ExampleTurn, exampleTurns } from "../domain/Character.ts"
import { type Bm25, bm25 } from "./bm25.ts"

const MOST = 4

type Dialogue = ReadonlyArray<ExampleTurn>

interface Examples {
  readonly all: ReadonlyArray<Dialogue>
  /** Indexed by what the user says in them. */
  readonly index: Bm25<Dialogue>
}

const prepared = new WeakMap<Character, Examples>()
const examplesOf = (character: Character): Examples => {
  const known = prepared.get(character)
  if (known !== undefined) return known
  const all = character.example_dialogues.map(exampleTurns)
  const examples = {
    all,
    index: bm25(all, (dialogue) =>
      dialogue
        .filter(({ role }) => role === "user")
        .map(({ text }) => text)
        .join(" ")
    )
  }
  prepared.set(character, examples)
  return examples
}

/** The authored dialogues that show the voice best for this message: similar ones first, then in authored order. */
export const examplesFor = (character: Character, text: string): ReadonlyArray<Dialogue> => {
  const { all, index } = examplesOf(character)
  return [
    ...new Set([
      ...index
        .search(text)
        .slice(0, MOST)
        .map(({ item }) => item),
      ...all
    ])
  ].slice(0, MOST)
}
