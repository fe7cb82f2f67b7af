import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Turn } from "../domain/Turn.ts"

export interface Recorded {
  /** How many of the nine turns before this one crossed a boundary. */
  readonly boundaries: number
  /**
   * Whether there was a crisis in this session in the last 24 hours, or there is one in a message that waits behind
   * this turn.
   */
  readonly crisis: boolean
}

interface SafetyRecordShape {
  readonly before: (turn: Turn) => Effect.Effect<Recorded>
  /**
   * Whether this person has been talking for three hours, across sessions, and was not reminded in the last three that
   * they talk to an AI.
   */
  readonly reminderDue: (turn: Turn) => Effect.Effect<boolean>
  /** Records that the person is under age by their own statement, for all later turns. */
  readonly isMinor: (turn: Turn) => Effect.Effect<void>
  /** Records that this person has said that the character is under age. */
  readonly isMinorCharacter: (turn: Turn) => Effect.Effect<void>
}

/**
 * Port: what earlier turns found, and what is waiting. Without a record, no boundary was ever crossed, so no character
 * leaves.
 */
export const SafetyRecord = Context.Reference<SafetyRecordShape>("pipeline/safety/SafetyRecord", {
  defaultValue: () => ({
    before: () => Effect.succeed({ boundaries: 0, crisis: false }),
    reminderDue: () => Effect.succeed(false),
    isMinor: () => Effect.void,
    isMinorCharacter: () => Effect.void
  })
})
