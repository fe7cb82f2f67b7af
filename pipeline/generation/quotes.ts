import type { Remembered } from "../retrieval/MemoryStore.ts"
import { memoryId, type Utterance } from "../retrieval/Transcript.ts"

/** How a prompt quotes utterances, and what was noted about them. */
export const said = (utterance: Utterance) => ({ id: memoryId(utterance), role: utterance.role, text: utterance.text })
export const noted = ({ id, text, at }: Remembered) => ({ id, text, on: at.toISOString().slice(0, 10) })
export const memory = (recalled: Utterance) => ({ ...said(recalled), on: recalled.at.toISOString().slice(0, 10) })
