import { type Character, type ExampleTurn, exampleTurns } from "../domain/Character.ts"
import { type Bm25, bm25 } from "./bm25.ts"

const MOST = 2
/** Which share of the message's weight a dialogue has to answer. */
const ANSWERS_FROM = 0.4

type Dialogue = ReadonlyArray<ExampleTurn>

const prepared = new WeakMap<Character, Bm25<Dialogue>>()
/** The dialogues, by what the user says in them. */
const indexOf = (character: Character): Bm25<Dialogue> => {
  const known = prepared.get(character)
  if (known !== undefined) return known
  const index = bm25(character.example_dialogues.map(exampleTurns), (dialogue) =>
    dialogue
      .filter(({ role }) => role === "user")
      .map(({ text }) => text)
      .join(" ")
  )
  prepared.set(character, index)
  return index
}

/** The authored dialogues that answer a message like this one, best first. */
export const examplesFor = (character: Character, text: string): ReadonlyArray<Dialogue> =>
  indexOf(character)
    .search(text)
    .slice(0, MOST)
    .filter(({ score }) => score >= ANSWERS_FROM)
    .map(({ item }) => item)
