import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { FleetCounts } from "#src/health/verdict.ts"
import type { Waits } from "#src/health/waitScale.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { countActivity, countFleet, PERIOD } from "./countActivity.ts"

/** How far back the first count goes, how much one statement counts, and how long counts are kept. */
const HISTORY = "48 hours"
const STEP = "1 hour"
const KEPT = "8 days"

export interface ActivityRow {
  readonly at: Date
  readonly messages_in: number
  readonly messages_out: number
  readonly unknown: number
  readonly expired: number
  readonly spent_micro_usd: number
  readonly waits: Waits
}

/**
 * What happens on the server, in periods of five minutes. Counted by a job, so that no view has to. The latest two
 * periods are counted again each time, because transactions may commit a while after the time that their rows bear.
 */
export class Activity extends Context.Service<
  Activity,
  {
    readonly count: Effect.Effect<void, DatabaseError>
    /** The periods since then, in order. */
    readonly since: (at: Date) => Effect.Effect<ReadonlyArray<ActivityRow>, DatabaseError>
    /** How many apps, bots and webhooks there are, and when they were counted. */
    readonly fleet: Effect.Effect<(FleetCounts & { readonly at: Date }) | null, DatabaseError>
  }
>()("src/db/operators/Activity") {
  static readonly layer = Layer.effect(
    Activity,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database

      /** Whether there is more to count. */
      const step = transaction(
        Effect.gen(function* () {
          const [range] = yield* query<Array<{ from: Date | null; to: Date | null; more: boolean | null }>>(
            (sql) => sql`
          select f.at as from, least(f.at + ${STEP}::interval, now()) as to, f.at + ${STEP}::interval < now() as more
          from (select greatest(coalesce(max(at) - ${PERIOD}::interval, 'epoch'),
            date_bin(${PERIOD}::interval, now() - ${HISTORY}::interval, 'epoch')) as at from activity) f`
          )
          if (range === undefined || range.from === null || range.to === null) return false
          const { from, to } = range
          yield* query((sql) => countActivity(sql, from, to))
          return range.more === true
        })
      )

      return Activity.of({
        count: Effect.gen(function* () {
          yield* Effect.repeat(step, { while: (more) => more })
          yield* query(countFleet)
          yield* query((sql) => sql`delete from activity where at < now() - ${KEPT}::interval`)
        }),
        since: (at) =>
          query<Array<ActivityRow>>(
            (sql) => sql`
          select at, messages_in, messages_out, unknown, expired, spent_micro_usd, waits from activity
          where at >= ${at.toISOString()}::timestamptz order by at`
          ),
        fleet: query<Array<{ at: Date; apps: number; bots: number; webhooks: number }>>(
          (sql) => sql`select at, apps, bots, webhooks from fleet_counts`
        ).pipe(Effect.map(([row]) => row ?? null))
      })
    })
  )
}
