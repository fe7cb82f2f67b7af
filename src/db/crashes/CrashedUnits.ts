import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CRASH_CAP, Crashes } from "#src/units/attempt.ts"
import { unitOf, type UnitKind } from "#src/units/Unit.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { countCrash } from "./countCrash.ts"
import { whileStarting } from "#src/db/postgres/retry.ts"

/**
 * A unit that was given up is tried again after this time, should anybody ask for it still: the server may have been
 * mended.
 */
const KEPT = "30 days"
/** Where there are more, something else is wrong than a text. */
const MOST_KNOWN = 10_000

/** Units of work that have stopped the process that ran them. */
export class CrashedUnits extends Context.Service<
  CrashedUnits,
  {
    /** Reads again what other processes have written. */
    readonly refresh: Effect.Effect<void, DatabaseError>
    /** Deletes what is too old. */
    readonly expire: Effect.Effect<void, DatabaseError>
  }
>()("src/db/crashes/CrashedUnits") {
  /**
   * Also gives the counts to all that runs units. They are read before anything else starts; `refresh` reads them
   * again.
   */
  static readonly layer = Layer.effectContext(
    Effect.gen(function* () {
      const { query } = yield* Database
      // Those that are given up. What is counted besides them was for the most part only beside what has crashed.
      let known: ReadonlyMap<string, number> = new Map()

      const refresh = Effect.gen(function* () {
        const rows = yield* query<Array<{ app_id: string; kind: UnitKind; unit: string; crashes: number }>>(
          (sql) => sql`
        select app_id, kind, unit, crashes from crashed_units where crashes >= ${CRASH_CAP}::int
          order by last_at desc limit ${MOST_KNOWN}::int`
        )
        known = new Map(rows.map((row) => [unitOf(row.kind, row.app_id, row.unit).text, row.crashes]))
      })
      yield* whileStarting(refresh)

      return Context.make(
        CrashedUnits,
        CrashedUnits.of({
          refresh,
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
