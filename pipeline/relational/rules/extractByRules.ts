import { dimensionsOf } from "../dimensions.ts"
import type { Extraction } from "../Extraction.ts"
import type { ExtractRequest } from "../Extractor.ts"
import { loopsOf } from "./loops.ts"
import { memoriesOf } from "./memories.ts"
import { signalsOf } from "./signals.ts"

/** Extracts from a turn by rules alone. Preferences are read by rules with every engine: see decidePreferences. */
export const extractByRules = ({ turn, known }: ExtractRequest): Extraction => ({
  ...(turn.message === null
    ? { signals: [], character_emotion: null }
    : signalsOf(turn.message.text, dimensionsOf(turn.character.relationship_posture))),
  ...memoriesOf(turn, known),
  ...loopsOf(turn, known),
  preferences: [],
  summary: ""
})
