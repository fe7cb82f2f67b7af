import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { inUnit } from "./currentUnit.ts"
import type { Unit } from "./Unit.ts"

/** A unit that has crashed its process this often is given up. */
export const CRASH_LIMIT = 5

/**
 * How often units have stopped what ran them, where that is often enough to give them up. Held in memory: a healthy
 * unit costs no look at the database.
 */
export const Crashes = Context.Reference<{
  readonly of: (unit: Unit) => number
  /** Counts one more, for a thread that had to be ended. Those of a process are counted elsewhere. */
  readonly count: (unit: Unit) => Effect.Effect<void>
}>("src/units/Crashes", { defaultValue: () => ({ of: () => 0, count: () => Effect.void }) })

/** Whether a unit must not be started again. */
export const isGivenUp = (unit: Unit): Effect.Effect<boolean> =>
  Effect.map(Crashes, (crashes) => crashes.of(unit) >= CRASH_LIMIT)

/**
 * Runs an effect as a unit of work (see `inUnit`). Once the unit has crashed its process `CRASH_LIMIT` times, runs the
 * alternative instead.
 */
export const attempt = <A, E, R, B, F, S>(
  unit: Unit,
  work: Effect.Effect<A, E, R>,
  instead: Effect.Effect<B, F, S>
): Effect.Effect<A | B, E | F, R | S> =>
  Effect.flatMap(isGivenUp(unit), (givenUp): Effect.Effect<A | B, E | F, R | S> =>
    givenUp ? instead : inUnit(unit, work)
  )
