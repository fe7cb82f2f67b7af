import { seedOf } from "./seed.ts"
import type { Turn } from "./Turn.ts"

/**
 * How long a character waits after a message before it begins to answer, by its life rhythm, in milliseconds. The same
 * turn always gets the same delay. 0 without a life rhythm.
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
