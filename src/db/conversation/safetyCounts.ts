import type { ReportedKind } from "#pipeline/safety/reported.ts"
import type { Sql } from "#src/db/postgres/Database.ts"

export interface Reported {
  readonly appId: string
  readonly kind: ReportedKind
}

/**
 * Adds to today's counts (UTC). The last statement of its transaction: it locks these rows in order, and nothing is
 * locked after them.
 */
export const countReported = (sql: Sql, reported: ReadonlyArray<Reported>) => sql`
  insert into safety_counts (app_id, day, kind, count)
  select app_id, utc_today(), kind, count(*)
    from unnest(${reported.map(({ appId }) => appId)}::text[],
      ${reported.map(({ kind }) => kind)}::text[]) as r(app_id, kind)
  group by app_id, kind order by app_id, kind
  on conflict (app_id, day, kind) do update set count = safety_counts.count + excluded.count`
