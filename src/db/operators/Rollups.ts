import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { addAttempts, addUsage, dropOldHours, refreshApps, refreshChannels } from "./rollupStatements.ts"

/** What is counted in one transaction, so that a long backlog is caught up in steps. */
const STEP = "1 hour"
/** Attempts are written when they end, and are counted by when they began. */
const ATTEMPTS_TAKE = "1 minute"

type Name = "usage" | "attempts"

/**
 * Counts the ledger and the delivery attempts into tables by day and by hour, so that no list of the operator has to
 * sum up what it shows. The ledger is counted exactly once: rows carry the time at which their transaction began, and
 * only what is older than the oldest open transaction is counted.
 */
export class Rollups extends Context.Service<
  Rollups,
  {
    /** Counts what is new. Another process that does so at the same time skips it. */
    readonly run: Effect.Effect<void, DatabaseError>
    /** Up to when everything is counted. */
    readonly asOf: Effect.Effect<Readonly<Record<Name, Date>>, DatabaseError>
  }
>()("src/db/operators/Rollups") {
  static readonly layer = Layer.effect(
    Rollups,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database

      /** Whether there is more. Times go through as text, because a Date has no microseconds. */
      const step = Effect.fnUntraced(function* (name: Name) {
        const [from] = yield* query<Array<{ at: string }>>(
          (sql) => sql`select up_to::text as at from rollups where name = ${name} for update skip locked`
        )
        if (from === undefined) return false
        const [until] = yield* query<Array<{ at: string | null; more: boolean | null }>>(
          (sql) => sql`
        select least(h.at, ${from.at}::text::timestamptz + ${STEP}::interval)::text as at,
          h.at > ${from.at}::text::timestamptz + ${STEP}::interval as more
        from (
          select coalesce(least(min(a.xact_start), now() - interval '1 second'), now() - interval '1 second')
            - case when ${name === "attempts"}::boolean then ${ATTEMPTS_TAKE}::interval else interval '0' end as at
          from pg_stat_activity a where a.datname = current_database() and a.backend_type = 'client backend'
            and a.pid <> pg_backend_pid()
        ) h where h.at > ${from.at}::text::timestamptz`
        )
        if (until === undefined || until.at === null) return false
        const to = until.at
        yield* query((sql) => (name === "usage" ? addUsage(sql, from.at, to) : addAttempts(sql, from.at, to)))
        // The figures in the same transaction: what is shown is always as of what is counted.
        if (until.more !== true) yield* query(name === "usage" ? refreshApps : refreshChannels)
        yield* query((sql) => sql`update rollups set up_to = ${to}::text::timestamptz where name = ${name}`)
        return until.more === true
      }, transaction)

      const catchUp = (name: Name) => Effect.repeat(step(name), { until: (more) => !more })

      return Rollups.of({
        run: Effect.gen(function* () {
          yield* catchUp("usage")
          yield* catchUp("attempts")
          yield* query(dropOldHours)
        }),
        asOf: query<Array<{ name: Name; up_to: Date }>>((sql) => sql`select name, up_to from rollups`).pipe(
          Effect.map((rows) => {
            const at = (name: Name) => rows.find((row) => row.name === name)?.up_to ?? new Date(0)
            return { usage: at("usage"), attempts: at("attempts") }
          })
        )
      })
    })
  )
}
