import type { ExampleTurn } from "../domain/Character.ts"
import type { Utterance } from "./Transcript.ts"

/** Something said before the history, found because it bears on the message. */
export interface Recalled extends Utterance {
  /** 0 to 1, against the best of the same search. */
  readonly score: number
}

/** What was found for a turn, the best first. */
export interface Retrieved {
  readonly recalled: ReadonlyArray<Recalled>
  /** Authored facts of the world. */
  readonly lore: ReadonlyArray<string>
  /** Authored dialogues that resemble the message, to show the voice. */
  readonly examples: ReadonlyArray<ReadonlyArray<ExampleTurn>>
}

export const NOTHING_RETRIEVED: Retrieved = { recalled: [], lore: [], examples: [] }
