import { describeAbout } from "../relational/voices/describeAbout.ts"
import type { Remembered } from "../retrieval/MemoryStore.ts"
import type { Utterance } from "../retrieval/Transcript.ts"

/** How a prompt quotes what was said long ago, and what was noted about it. */
const day = (at: Date): string => at.toISOString().slice(0, 10)
export const quoted = ({ role, text, at }: Utterance, answers: boolean) => ({
  on: day(at),
  said_by: role === "user" ? "person" : "character",
  text,
  ...(answers && { answers })
})
export const noted = ({ text, about, at }: Remembered, answers: boolean) => ({
  on: day(at),
  ...(about !== null && { about: describeAbout(about) }),
  text,
  ...(answers && { answers })
})
