import type { ISql } from "postgres"
import { CRASH_LIMIT } from "#src/units/attempt.ts"
import type { UnitKind } from "#src/units/Unit.ts"

/** Limit for the cached counts. If there are more, the cause is not a single text. */
const MAX_KNOWN = 10_000

export interface CountedUnit {
  readonly app_id: string
  readonly kind: UnitKind
  readonly unit: string
  readonly crashes: number
}

/** Units that are given up. What is counted besides them was for the most part only beside what has crashed. */
export const givenUpUnits = <Types extends Record<string, unknown>>(sql: ISql<Types>) => sql`
  select app_id, kind, unit, crashes from crashed_units where crashes >= ${CRASH_LIMIT}::int
  order by last_at desc limit ${MAX_KNOWN}::int`
