import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ReportedKind } from "#pipeline/safety/reported.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { modelsBetween, usedBetween } from "./ledgerDays.ts"

export const USAGE_GROUPS = ["day", "kind", "character", "model", "end_user", "app"] as const
export type UsageGroup = (typeof USAGE_GROUPS)[number]
/** Maximum number of groups in one answer, the most expensive first. */
export const MAX_GROUPS = 1000

export interface UsageQuery {
  readonly apps: ReadonlyArray<string>
  readonly externalUserRef: string | null
  readonly from: Date
  /** Exclusive. */
  readonly to: Date
  /** Null: a single group. */
  readonly groupBy: UsageGroup | null
}

export interface UsageRow {
  /** Null: for what no longer exists, such as an erased end-user. */
  readonly key: string | null
  readonly messages: number
  /** Turns in which characters wrote first. */
  readonly proactive: number
  /** Pictures, without failed ones. */
  readonly images: number
  readonly cost_micro_usd: number
  readonly input_tokens: number
  readonly cached_input_tokens: number
  readonly output_tokens: number
  /** Whether a model without a known price was used. */
  readonly unpriced: boolean
}

export interface SafetyQuery {
  readonly apps: ReadonlyArray<string>
  /** Days in UTC, `YYYY-MM-DD`. */
  readonly from: string
  /** Exclusive. */
  readonly to: string
}

export interface SafetyCountRow {
  /** `YYYY-MM` */
  readonly month: string
  readonly kind: ReportedKind
  readonly count: number
}

/** The usage of apps: messages by acceptance time, money by booking time, tokens by the end of their turn. */
export class Usage extends Context.Service<
  Usage,
  {
    readonly read: (query: UsageQuery) => Effect.Effect<ReadonlyArray<UsageRow>, DatabaseError>
    /** The counts for the safety reports, by month and kind. Months and kinds without a count are left out. */
    readonly safety: (query: SafetyQuery) => Effect.Effect<ReadonlyArray<SafetyCountRow>, DatabaseError>
  }
>()("src/db/billing/Usage") {
  static readonly layer = Layer.effect(
    Usage,
    Effect.gen(function* () {
      const { query } = yield* Database
      return Usage.of({
        safety: ({ apps, from, to }) =>
          query<Array<SafetyCountRow>>(
            (sql) => sql`
        select to_char(day, 'YYYY-MM') as month, kind, sum(count)::int8 as count from safety_counts
        where app_id = any(${apps}::text[])
          and day >= ${from}::text::date and day < ${to}::text::date group by 1, 2 order by 1, 2`
          ),
        read: ({ apps, externalUserRef, from, to, groupBy }) =>
          query<Array<UsageRow>>((sql) => {
            const keys = {
              day: sql`to_char(u.at at time zone 'utc', 'YYYY-MM-DD')`,
              kind: sql`u.activity`,
              character: sql`c.character_slug`,
              end_user: sql`c.external_user_ref`,
              app: sql`u.app_id`
            }
            const key = groupBy === null || groupBy === "model" ? sql`''` : keys[groupBy]
            const [since, until] = [from.toISOString(), to.toISOString()]
            const ofUser = externalUserRef === null ? sql`` : sql`where c.external_user_ref = ${externalUserRef}`
            const turns = sql`
              coalesce(sum(turns) filter (where activity <> 'proactive'), 0)::int as messages,
              coalesce(sum(turns) filter (where activity = 'proactive'), 0)::int as proactive`
            const tokens = sql`coalesce(sum(input_tokens), 0)::int8 as input_tokens,
              coalesce(sum(cached_input_tokens), 0)::int8 as cached_input_tokens,
              coalesce(sum(output_tokens), 0)::int8 as output_tokens, coalesce(bool_or(unpriced), false) as unpriced`
            const models = sql`
              select u.*, ${key} as key from (${modelsBetween(sql, apps, since, until)}) u
                left join sessions c using (app_id, session_id) ${ofUser}`
            if (groupBy === "model") {
              return sql`
            with models as (${models})
            select model as key, ${turns}, 0 as images, coalesce(sum(micro_usd), 0)::int8 as cost_micro_usd, ${tokens}
            from models where model is not null
            group by model order by cost_micro_usd desc, key limit ${MAX_GROUPS}`
            }
            return sql`
          with entries as (
            select u.*, ${key} as key from (${usedBetween(sql, apps, since, until)}) u
              left join sessions c using (app_id, session_id) ${ofUser}
          ), money as (
            select key, ${turns}, coalesce(sum(pictures), 0)::int as images,
              coalesce(sum(micro_usd), 0)::int8 as cost_micro_usd, coalesce(bool_or(unpriced), false) as unpriced
            from entries group by key
          ), models as (${models}), tokens as (
            select key, ${tokens} from models group by key
          )
          select m.key, m.messages, m.proactive, m.images, m.cost_micro_usd,
            coalesce(t.input_tokens, 0)::int8 as input_tokens,
            coalesce(t.cached_input_tokens, 0)::int8 as cached_input_tokens,
            coalesce(t.output_tokens, 0)::int8 as output_tokens, m.unpriced or coalesce(t.unpriced, false) as unpriced
          from money m left join tokens t on t.key is not distinct from m.key
          order by ${groupBy === "day" ? sql`m.key` : sql`m.cost_micro_usd desc, m.key`} limit ${MAX_GROUPS}`
          })
      })
    })
  )
}
