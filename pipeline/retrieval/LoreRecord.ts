import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Turn } from "../domain/Turn.ts"

/** The last turn in which a lore entry was triggered, by entry id. Kept while the entry is sticky or cooling down. */
export type LoreCalls = Readonly<Record<string, number>>
export const NOT_CALLED: LoreCalls = {}

interface LoreRecordShape {
  /** The state after the last turn before this one that searched for lore. */
  readonly before: (turn: Turn) => Effect.Effect<LoreCalls>
}

/** Port: which lore was triggered in a session. Without it, none was. */
export const LoreRecord = Context.Reference<LoreRecordShape>("pipeline/retrieval/LoreRecord", {
  defaultValue: () => ({ before: () => Effect.succeed(NOT_CALLED) })
})
export type LoreRecord = LoreRecordShape
