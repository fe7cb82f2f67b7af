import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Crashes } from "#src/units/attempt.ts"
import { unitOf } from "#src/units/Unit.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { countCrash } from "./countCrash.ts"
import { type CountedUnit, givenUpUnits } from "./givenUpUnits.ts"
import { whileStarting } from "#src/db/postgres/retry.ts"

/** After this time, a unit that was given up may be tried again: the server may have been fixed. */
const KEPT = "30 days"

/** Units of work that have crashed the process that ran them. */
export class CrashedUnits extends Context.Service<
  CrashedUnits,
  {
    /** Reloads the counts, because other processes write them, too. */
    readonly refresh: Effect.Effect<void, DatabaseError>
    /** Replaces the counts by those that were read together with something else. */
    readonly learn: (givenUp: ReadonlyArray<CountedUnit>) => Effect.Effect<void>
    /** Deletes old counts. */
    readonly expire: Effect.Effect<void, DatabaseError>
  }
>()("src/db/crashes/CrashedUnits") {
  /**
   * Also provides the counts to everything that runs units. They are loaded before anything else starts, and `refresh`
   * reloads them.
   */
  static readonly layer = Layer.effectContext(
    Effect.gen(function* () {
      const { query } = yield* Database
      let known: ReadonlyMap<string, number> = new Map()
      const learn = (givenUp: ReadonlyArray<CountedUnit>) =>
        Effect.sync(() => {
          known = new Map(givenUp.map((row) => [unitOf(row.kind, row.app_id, row.unit).text, row.crashes]))
        })
      const refresh = Effect.flatMap(query<Array<CountedUnit>>(givenUpUnits), learn)
      yield* whileStarting(refresh)

      return Context.make(
        CrashedUnits,
        CrashedUnits.of({
          refresh,
          learn,
          expire: Effect.asVoid(
            query((sql) => sql`delete from crashed_units where last_at < now() - ${KEPT}::interval`)
          )
        })
      ).pipe(
        Context.add(Crashes, {
          of: (unit) => (known.size === 0 ? 0 : (known.get(unit.text) ?? 0)),
          count: (unit) =>
            query((sql) => countCrash(sql, unit)).pipe(
              Effect.andThen(refresh),
              Effect.catchTag("DatabaseError", (error) =>
                Effect.logWarning("crash could not be recorded", { reason: error.message, kind: unit.kind })
              )
            )
        })
      )
    })
  )
}
