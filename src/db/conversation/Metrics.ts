import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { beforeIdsFrom } from "#pipeline/domain/Id.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { decidedOf, skippedByOf } from "./proactiveOutcomes.ts"

/** The maximum number of turns to evaluate, newest first. */
const MAX_TURNS = 20_000

export interface MetricsRow {
  readonly turns: number
  /** Whether all turns of the window were evaluated. */
  readonly complete: boolean
  readonly outcomes: Readonly<Record<string, number>>
  readonly failure_reasons: Readonly<Record<string, number>>
  readonly latency: { readonly p50_ms: number | null; readonly p95_ms: number | null }
  readonly cost_micro_usd: number
  readonly tokens: { readonly input: number; readonly cached_input: number; readonly output: number }
  readonly gate_hits: Readonly<Record<string, number>>
  readonly retrieval: { readonly p50_ms: number | null; readonly hit_rate: number | null }
  readonly proactive: { readonly sent: number; readonly skipped_by: Readonly<Record<string, number>> }
  readonly delivery: { readonly attempted: number; readonly sent: number }
}

/** Statistics of an app's turns in a time window, found through the ledger's index. */
export class Metrics extends Context.Service<
  Metrics,
  {
    readonly since: (appId: string, since: Date) => Effect.Effect<MetricsRow, DatabaseError>
  }
>()("src/db/conversation/Metrics") {
  static readonly layer = Layer.effect(
    Metrics,
    Effect.gen(function* () {
      const { query } = yield* Database
      return Metrics.of({
        since: (appId, since) =>
          query<Array<MetricsRow>>((sql) => {
            const tally = (what: string, from: string) =>
              sql`(select coalesce(json_object_agg(name, n), '{}')
                from (select ${sql(what)} as name, count(*)::int as n
                  from ${sql(from)} where ${sql(what)} is not null group by 1) x)`
            const median = sql`percentile_cont(0.5) within group (order by latency_ms)`
            return sql`
          with held as materialized (
            select session_id, turn_index from ledger
              where app_id = ${appId} and entry = 'hold'
                and at >= ${since} order by at desc limit ${MAX_TURNS + 1}::int
          ), t as materialized (
            select t.session_id, t.turn_index, t.cursor, coalesce(t.outcome, 'generating') as outcome,
              t.failure_reason, t.cost_micro_usd, extract(epoch from t.settled_at - t.accepted_at) * 1000 as latency_ms
            from (select * from held limit
              ${MAX_TURNS}::int) h join turns t on t.app_id =
                ${appId} and t.session_id = h.session_id and t.turn_index = h.turn_index
          ), s as materialized (
            select s.stage, s.latency_ms, s.input_tokens, s.cached_input_tokens, s.output_tokens, s.detail, case
              when s.stage = 'emission' and starts_with(s.decision, 'refused:') then substr(s.decision, 9) end as gate
            from t join turn_stages s on s.app_id =
              ${appId} and s.session_id = t.session_id and s.turn_index = t.turn_index
          ), decided as materialized (
            select ${decidedOf(sql)} as decision, ${skippedByOf(sql)} as skipped_by
            from (select * from proactive_decisions
              where app_id = ${appId} and decision_id >
                ${beforeIdsFrom("dec", since)} order by decision_id desc limit ${MAX_TURNS}::int) d
              left join turns t on t.app_id = d.app_id and t.session_id = d.session_id and t.turn_index = d.turn_index
          ), pushed as materialized (
            select a.session_id, a.channel_id, a.cursor, bool_or(a.outcome = 'sent') as sent
            from (select session_id, min(cursor) as cursor from t group by 1) c
              join delivery_attempts a on a.app_id = ${appId} and a.session_id = c.session_id and a.cursor >= c.cursor
            where a.started_at >= ${since} group by 1, 2, 3
          )
          select (select count(*)::int from t) as turns,
            (select count(*) <= ${MAX_TURNS}::int from held) as complete,
              ${tally("outcome", "t")} as outcomes, ${tally("failure_reason", "t")} as failure_reasons,
            (select json_build_object('p50_ms',
              ${median}, 'p95_ms', percentile_cont(0.95) within group (order by latency_ms)) from t
                where outcome = 'replied') as latency,
            (select coalesce(sum(cost_micro_usd), 0)::float8 from t) as cost_micro_usd,
            (select json_build_object('input', coalesce(sum(input_tokens), 0), 'cached_input',
              coalesce(sum(cached_input_tokens), 0), 'output', coalesce(sum(output_tokens), 0)) from s) as tokens,
            ${tally("gate", "s")} as gate_hits,
            (select json_build_object('p50_ms',
              ${median}, 'hit_rate', avg((json_array_length(coalesce(detail -> 'memories', '[]')) > 0)::int)) from s
                where stage = 'retrieval') as retrieval,
            json_build_object('sent', (select count(*) from decided where decision = 'sent'), 'skipped_by',
              ${tally("skipped_by", "decided")}) as proactive,
            (select json_build_object('attempted', count(*), 'sent', count(*) filter (where sent))
              from pushed) as delivery`
          }).pipe(Effect.map(([row]) => row!))
      })
    })
  )
}
