import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

export interface RollingLimit {
  /** What is counted. */
  readonly kind: string
  /** Whose count it is. */
  readonly subject: string
  /** The maximum in any window of this length. */
  readonly most: number
  readonly windowSeconds: number
}

/** Limits over a rolling window, exact over all processes: concurrent calls wait for the lock on the row. */
export class RollingLimits extends Context.Service<
  RollingLimits,
  {
    /** Counts one more, unless that exceeds the limit. Then returns in how many seconds there is room again. */
    readonly take: (
      limit: RollingLimit
    ) => Effect.Effect<
      { readonly taken: true } | { readonly taken: false; readonly retryAfterSeconds: number },
      DatabaseError
    >
    /** Takes back what was counted last. */
    readonly giveBack: (limit: Pick<RollingLimit, "kind" | "subject">) => Effect.Effect<void, DatabaseError>
    /** Deletes subjects that were not seen for a day, the longest possible window. */
    readonly expire: Effect.Effect<void, DatabaseError>
  }
>()("src/db/tenancy/RollingLimits") {
  static readonly layer = Layer.effect(
    RollingLimits,
    Effect.gen(function* () {
      const { query } = yield* Database

      const take = Effect.fnUntraced(function* ({ kind, subject, most, windowSeconds }: RollingLimit) {
        const taken = yield* query(
          (sql) => sql`
        insert into rolling_limits as l (kind, subject, hits, last_hit_at)
        select ${kind}, ${subject}, array[clock_timestamp()], clock_timestamp() where ${most}::int > 0
        on conflict (kind, subject) do update set
          hits = array(select hit from unnest(l.hits) hit
            where hit > clock_timestamp() -
              ${windowSeconds}::int * interval '1 second' order by hit) || clock_timestamp(),
          last_hit_at = clock_timestamp()
        where (select count(*) from unnest(l.hits) hit
          where hit > clock_timestamp() - ${windowSeconds}::int * interval '1 second') < ${most}::int
        returning 1`
        )
        if (taken.length > 0) return { taken: true } as const
        const [room] = yield* query<Array<{ seconds: number }>>(
          (sql) => sql`
        select greatest(1, ceil(extract(epoch
          from min(hit) - clock_timestamp()) + ${windowSeconds}::int))::int as seconds
        from rolling_limits l, unnest(l.hits) hit
        where l.kind = ${kind} and l.subject =
          ${subject} and hit > clock_timestamp() - ${windowSeconds}::int * interval '1 second' having count(*) > 0`
        )
        return { taken: false, retryAfterSeconds: room?.seconds ?? windowSeconds } as const
      })

      return RollingLimits.of({
        take,
        giveBack: ({ kind, subject }) =>
          query(
            (sql) => sql`
            update rolling_limits set hits = trim_array(hits, 1)
            where kind = ${kind} and subject = ${subject} and cardinality(hits) > 0`
          ).pipe(Effect.asVoid),
        expire: query((sql) => sql`delete from rolling_limits where last_hit_at < now() - interval '1 day'`).pipe(
          Effect.asVoid
        )
      })
    })
  )
}
