import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Turn } from "../domain/Turn.ts"

export interface Recorded {
  /** Of the nine turns before this one, those in which a boundary was crossed. */
  readonly boundaries: number
  /**
   * Whether there was a crisis in this session in the last 24 hours, or is one in a message that still waits behind
   * this turn.
   */
  readonly crisis: boolean
}

interface SafetyRecordShape {
  readonly before: (turn: Turn) => Effect.Effect<Recorded>
  /**
   * Whether this person has been talking for three hours, in whatever sessions, and has not been reminded in the last
   * three of what they talk to.
   */
  readonly reminderDue: (turn: Turn) => Effect.Effect<boolean>
  /** Keeps that the person is under age, by their own words, for all that comes after. */
  readonly isMinor: (turn: Turn) => Effect.Effect<void>
  /** Keeps that this person has said that the character is under age. */
  readonly isMinorCharacter: (turn: Turn) => Effect.Effect<void>
}

/**
 * Port: what earlier turns found, and what waits. Without a record nobody has crossed a boundary, so no character
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
