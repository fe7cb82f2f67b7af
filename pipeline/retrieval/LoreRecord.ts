import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Turn } from "../domain/Turn.ts"

/**
 * In which turn an entry of the lore was called up last, by its id: of those that stick or rest, as long as they do.
 */
export type LoreCalls = Readonly<Record<string, number>>
export const NOT_CALLED: LoreCalls = {}

interface LoreRecordShape {
  /** What the last turn before this one that looked for lore left behind. */
  readonly before: (turn: Turn) => Effect.Effect<LoreCalls>
}

/** Port: what lore has been called up in a session. Without it, none has. */
export const LoreRecord = Context.Reference<LoreRecordShape>("pipeline/retrieval/LoreRecord", {
  defaultValue: () => ({ before: () => Effect.succeed(NOT_CALLED) })
})
export type LoreRecord = LoreRecordShape
