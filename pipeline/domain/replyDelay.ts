import { seedOf } from "./seed.ts"
import type { Turn } from "./Turn.ts"

/**
 * How long after the message a character by its life rhythm begins to answer, in milliseconds: the same for the same
 * turn, 0 without one.
 */
export const replyDelayMs = (turn: Pick<Turn, "sessionId" | "turnIndex" | "character">): number => {
  const delay = turn.character.life_rhythm.reply_delay_seconds
  if (delay === undefined) return 0
  const min = delay.min ?? 0
  const max = Math.max(min, delay.max ?? min)
  return (
    1000 * (min + ((max - min) * seedOf({ sessionId: `${turn.sessionId} delay`, turnIndex: turn.turnIndex })) / 2 ** 32)
  )
}
