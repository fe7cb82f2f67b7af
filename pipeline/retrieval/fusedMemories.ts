import { fuse } from "./fuse.ts"
import type { Remembered } from "./MemoryStore.ts"

/** Memories that were found by words and by meaning. What both have found comes first, and none is left out. */
export const fusedMemories = (
  byWords: ReadonlyArray<Remembered>,
  byMeaning: ReadonlyArray<Remembered>
): ReadonlyArray<Remembered> => {
  if (byMeaning.length === 0) return byWords
  const rankings = [byWords, byMeaning].map((items) => ({ items, weight: 1 }))
  return Array.from(
    fuse(rankings, ({ id }) => id),
    ({ item, score }) => ({ ...item, score })
  )
}
