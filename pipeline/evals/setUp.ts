import type { Character } from "../domain/Character.ts"
import { derivedId } from "../domain/Id.ts"
import { add } from "../relational/edits.ts"
import { EMPTY_PATCH, type Patch } from "../relational/Patch.ts"
import type { Relationship } from "../relational/Relationship.ts"
import { stageOf, currentScores } from "../relational/scores.ts"
import type { Setup } from "./Suite.ts"

/**
 * The state before the first turn, and the ids of the memories by key. The same seed gives the same ids, so that
 * results do not depend on them.
 */
export const setupPatch = (
  setup: Setup,
  { relationship_posture }: Character,
  known: Relationship,
  at: Date,
  seed: string
): { readonly patch: Patch; readonly memoryIds: Readonly<Record<string, string>> } => {
  const moment = at.toISOString()
  const memories = setup.memories.flatMap(({ key, valid_at = moment, ...fields }) => {
    const added = add(known, { about: null, ...fields, valid_at }, moment)
    return added === null ? [] : [{ key, memory: { ...added.memory, id: derivedId("mem", at, `${seed} ${key}`) } }]
  })
  const scores = Object.entries(setup.scores).map(([key, value]) => ({ key, value, updated_at: moment }))
  return {
    patch: {
      ...EMPTY_PATCH,
      memories: memories.map(({ memory }) => memory),
      bearing: {
        ...(setup.emotion !== undefined && { emotion: { ...setup.emotion, updated_at: moment } }),
        ...(scores.length > 0 && { scores, stage: stageOf(currentScores(relationship_posture, scores, at.getTime())) })
      }
    },
    memoryIds: Object.fromEntries(memories.map(({ key, memory }) => [key, memory.id]))
  }
}
