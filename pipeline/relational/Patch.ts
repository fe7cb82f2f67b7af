import * as Schema from "effect/Schema"
import { Bearing, Memory, OpenLoop, type Relationship, Snapshot } from "./Relationship.ts"

/**
 * One change to a relationship: the changed rows in their new state. A patch holds decisions, not their inputs, so
 * replaying patches needs no model and gives the same relationship, except for forgotten text.
 */
export const Patch = Schema.Struct({
  memories: Schema.Array(Memory),
  /** Memories that a reply relied on. The recall count of each goes up by one, at the time of the patch. */
  recalled: Schema.Array(Schema.String),
  loops: Schema.Array(OpenLoop),
  /** The changed fields of the bearing. */
  bearing: Schema.Struct({
    emotion: Schema.optionalKey(Bearing.fields.emotion),
    scores: Schema.optionalKey(Bearing.fields.scores),
    stage: Schema.optionalKey(Bearing.fields.stage),
    preferences: Schema.optionalKey(Bearing.fields.preferences),
    summary: Schema.optionalKey(Bearing.fields.summary)
  }),
  snapshot: Schema.NullOr(Snapshot)
})
export type Patch = typeof Patch.Type

export const EMPTY_PATCH: Patch = { memories: [], recalled: [], loops: [], bearing: {}, snapshot: null }

export const isEmpty = ({ memories, recalled, loops, bearing, snapshot }: Patch): boolean =>
  memories.length + recalled.length + loops.length + Object.keys(bearing).length === 0 && snapshot === null

/**
 * The relationship after a patch made at this time (ISO 8601). `turnIndex` is set if the patch was made from a turn.
 */
export const apply = (before: Relationship, patch: Patch, at: string, turnIndex: number | null): Relationship => {
  const memories = new Map(before.memories)
  for (const memory of patch.memories) memories.set(memory.id, memory)
  for (const id of patch.recalled) {
    const memory = memories.get(id)
    if (memory !== undefined)
      memories.set(id, { ...memory, recall_count: memory.recall_count + 1, last_recalled_at: at })
  }
  const loops = new Map(before.loops)
  for (const loop of patch.loops) loops.set(loop.id, loop)
  return {
    memories,
    loops,
    bearing: { ...before.bearing, ...patch.bearing },
    version: before.version + 1,
    readTurn: turnIndex ?? before.readTurn
  }
}
