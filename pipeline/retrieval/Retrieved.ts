import type { OpenLoop } from "../relational/Relationship.ts"
import type { ExampleTurn } from "../domain/Character.ts"
import type { EvidencePiece } from "./EvidenceStore.ts"
import type { Remembered } from "./MemoryStore.ts"
import { EMPTY_WORLD_FOUND, type WorldFound } from "../world/retrieveWorld.ts"
import type { Utterance } from "./Transcript.ts"

/** Something said before the history that is relevant to the message. */
export interface Recalled extends Utterance {
  /** 0 to 1, relative to the best of the same search. */
  readonly score: number
}

/** An authored fact of the world. */
export interface Lore {
  /** The entry's own id, or `lore-` and its index in the character's version. */
  readonly id: string
  readonly content: string
}

/** What was found for a turn, best first. */
export interface Retrieved {
  readonly recalled: ReadonlyArray<Recalled>
  readonly memories: ReadonlyArray<Remembered>
  /** Whether the message asks to forget something. It is already left out here. */
  readonly forgets?: boolean
  /** Loops to take up again. */
  readonly loops: ReadonlyArray<OpenLoop>
  readonly lore: ReadonlyArray<Lore>
  /** What of the character's world is relevant to the message. */
  readonly world: WorldFound
  /** What sources say. */
  readonly evidence: ReadonlyArray<EvidencePiece>
  /** Authored dialogues that resemble the message, to show the voice. */
  readonly examples: ReadonlyArray<ReadonlyArray<ExampleTurn>>
}

export const NOTHING_RETRIEVED: Retrieved = {
  recalled: [],
  memories: [],
  loops: [],
  lore: [],
  evidence: [],
  world: EMPTY_WORLD_FOUND,
  examples: []
}
