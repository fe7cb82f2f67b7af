import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Database, DatabaseError } from "#src/db/postgres/Database.ts"

/** Workers that are no longer registered, by why. */
export interface GoneWorkers {
  /** They died, and nobody knows of what: every unit that they were working on counts a crash. */
  readonly crashed: ReadonlyArray<string>
  /** They stopped, or the monitor has counted the unit that they were stuck in: no other unit counts. */
  readonly stopped: ReadonlyArray<string>
}

/**
 * Releases the units of work of a domain that these workers held, and counts the crashes. It runs in the transaction
 * that deletes the workers, so nothing has been claimed again. It locks rows in the order of their keys.
 */
export type ReleaseUnits = (gone: GoneWorkers) => Effect.Effect<unknown, DatabaseError, Database>

/** How each domain releases its units. The composition lists them. */
export class HeldUnits extends Context.Service<HeldUnits, ReadonlyArray<ReleaseUnits>>()("src/db/crashes/HeldUnits") {}
