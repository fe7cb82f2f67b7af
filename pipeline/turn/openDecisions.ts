import * as Effect from "effect/Effect"
import { decisionsOpen, type Situation } from "../generation/decisions.ts"
import type { Decision } from "../generation/Writer.ts"
import type { TurnServices } from "./TurnServices.ts"

/** What a character may decide if there is no message to answer. */
const MAY_WRITE_FIRST: ReadonlyArray<Decision> = ["reply", "withhold"]

/** What the character may decide in this turn. The record is only read for a character that may leave. */
export const openDecisions = Effect.fnUntraced(function* (
  record: TurnServices["record"],
  situation: Omit<Situation, "recorded">
): Effect.fn.Return<ReadonlyArray<Decision>> {
  const { turn } = situation
  if (turn.proactive !== undefined) return MAY_WRITE_FIRST
  const recorded =
    turn.character.behavioral_thresholds.exit > 0 ? yield* record.before(turn) : { boundaries: 0, crisis: false }
  return decisionsOpen({ ...situation, recorded })
})
