import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import type { ImageStatus } from "#src/db/character/Images.ts"

export interface TraceRow {
  readonly run_ref: string
  readonly turn_index: number
  readonly reply_mode: "fast" | "deep"
  readonly outcome: "replied" | "withheld" | "exited" | "failed" | null
  readonly failure_reason: string | null
  /** Whether a worker is at it. */
  readonly owned: boolean
  /** Whether extraction is done, which makes the cost final. */
  readonly read: boolean
  readonly attempts: number
  readonly crashes: number
  readonly accepted_at: Date
  readonly settled_at: Date | null
  readonly cost_micro_usd: number | null
  /** Deliveries of the turn's events, by event and channel. */
  readonly attempted: number
  readonly delivered: number
  readonly stages: ReadonlyArray<{
    readonly stage: string
    /** The attempt at the turn. `attempt` counts the attempts of the stage within it. */
    readonly run_attempt: number
    readonly attempt: number
    readonly latency_ms: number
    readonly status: string
    readonly decision: string | null
    readonly error_code: string | null
    readonly detail: {
      readonly memories?: ReadonlyArray<{ readonly id: string; readonly score: number }>
      readonly lore_ids?: ReadonlyArray<string>
      readonly evidence_ids?: ReadonlyArray<string>
      readonly edge_ids?: ReadonlyArray<string>
      readonly npc_ids?: ReadonlyArray<string>
      readonly arc_ids?: ReadonlyArray<string>
      readonly storyline?: { readonly id: string; readonly beat: string }
      readonly cited_memory_ids?: ReadonlyArray<string>
    } | null
    readonly model: string | null
    readonly input_tokens: number | null
    readonly cached_input_tokens: number | null
    readonly output_tokens: number | null
    readonly cost_micro_usd: number | null
    readonly estimated: boolean | null
    readonly unpriced: boolean | null
  }>
}

/** A picture that was not requested by a reply. */
export interface TracedImage {
  readonly run_ref: string
  readonly image_id: string
  readonly status: ImageStatus
  readonly error_code: string | null
  readonly attempts: number
  readonly created_at: Date
  readonly finished_at: Date | null
  readonly cost_micro_usd: number | null
}

export interface TraceFilter {
  readonly runRef: string | null
  /** Below this turn. */
  readonly before: number | null
  readonly limit: number
}

/** Maximum distance between a message and its reply on the log: the events queued before it and their answers. */
const REPLY_WITHIN = 2_000

/** The duration, cost and decisions of each turn of a session. */
export class Traces extends Context.Service<
  Traces,
  {
    /** Newest turn first, below `before`, or the single turn `runRef`. */
    readonly ofSession: (
      appId: string,
      sessionId: string,
      filter: TraceFilter
    ) => Effect.Effect<ReadonlyArray<TraceRow>, DatabaseError>
    /** Pictures requested over HTTP, newest first: from the turn `from` on, or of `runRef`. */
    readonly imagesOf: (
      appId: string,
      sessionId: string,
      filter: TraceFilter & { readonly from: number }
    ) => Effect.Effect<ReadonlyArray<TracedImage>, DatabaseError>
  }
>()("src/db/conversation/Traces") {
  static readonly layer = Layer.effect(
    Traces,
    Effect.gen(function* () {
      const { query } = yield* Database
      return Traces.of({
        ofSession: (appId, sessionId, { runRef, before, limit }) =>
          query<Array<TraceRow>>(
            (sql) => sql`
        with page as (
          select * from turns t
          where t.app_id = ${appId} and t.session_id = ${sessionId}
            and (${runRef}::text is null or t.run_ref =
              ${runRef}) and (${before}::int is null or t.turn_index < ${before})
          order by t.turn_index desc limit ${limit}
        ), said as (
          select e.trace_id, e.cursor from events e
          where e.app_id = ${appId} and e.session_id =
            ${sessionId} and e.cursor between (select min(cursor) from page) and (select max(cursor)
              from page) + ${REPLY_WITHIN}::int
            and e.trace_id in (select run_ref from page)
        ), pushed as (
          select s.trace_id, count(distinct (a.channel_id, a.cursor))::int as attempted, (count(distinct (a.channel_id,
            a.cursor)) filter (where a.outcome = 'sent'))::int as delivered
          from said s join delivery_attempts a on a.app_id =
            ${appId} and a.session_id = ${sessionId} and a.cursor = s.cursor group by 1
        )
        select t.run_ref, t.turn_index, t.reply_mode, t.outcome, t.failure_reason, t.owner is not null as owned,
          t.fence - t.deferred::int as attempts, t.crashes, t.accepted_at, t.settled_at, t.cost_micro_usd,
          t.turn_index <= coalesce((select read_turn from relationships r where r.app_id = t.app_id
            and r.session_id = t.session_id), 0) as read,
          coalesce(p.attempted, 0) as attempted, coalesce(p.delivered, 0) as delivered,
          coalesce((
            select json_agg(json_build_object('stage', s.stage, 'run_attempt', s.fence, 'attempt', s.attempt,
              'latency_ms', s.latency_ms, 'status', s.status, 'decision', s.decision,
              'error_code', s.error_code, 'detail', s.detail, 'model', s.model, 'input_tokens', s.input_tokens,
                'cached_input_tokens', s.cached_input_tokens,
              'output_tokens', s.output_tokens, 'cost_micro_usd', s.cost_micro_usd, 'estimated', s.estimated,
                'unpriced', s.unpriced) order by s.fence, s.seq)
            from turn_stages s where s.app_id = t.app_id and s.session_id = t.session_id and s.turn_index = t.turn_index
          ), '[]'::json) as stages
        from page t left join pushed p on p.trace_id = t.run_ref
        order by t.turn_index desc`
          ),
        // Failed pictures were refunded.
        imagesOf: (appId, sessionId, { runRef, before, from, limit }) =>
          query<Array<TracedImage>>(
            (sql) => sql`
        select run_ref, image_id, status, error_code, attempt as attempts, created_at, finished_at,
          case status when 'ready' then price_micro_usd when 'blocked' then 0 when 'failed' then 0 end as cost_micro_usd
        from images
        where app_id = ${appId} and session_id = ${sessionId} and turn_ref is null
          and (${runRef}::text is null or run_ref = ${runRef})
          and turn_index >= ${from}::int and (${before}::int is null or turn_index < ${before})
        order by image_id desc limit ${limit}::int`
          )
      })
    })
  )
}
