import type { StageRecord } from "#pipeline/domain/Turn.ts"
import type { Sql } from "#src/db/postgres/Database.ts"

/** The cost of a turn's stages, in micro-USD. */
export const costOf = (stages: ReadonlyArray<StageRecord>) =>
  stages.reduce((sum, stage) => sum + (stage.usage?.costMicroUsd ?? 0), 0)

/** A stage row of the turn with index `n` in its batch, for `writeStages`. */
export const stageRow = (record: StageRecord, n: number, seq: number) => ({
  n,
  seq,
  stage: record.stage,
  attempt: record.attempt,
  started_at: record.startedAt.toISOString(),
  latency_ms: record.latencyMs,
  status: record.status,
  decision: record.decision,
  error_code: record.errorCode,
  detail: record.detail,
  model: record.usage?.model,
  input_tokens: record.usage?.inputTokens,
  cached_input_tokens: record.usage?.cachedInputTokens,
  output_tokens: record.usage?.outputTokens,
  cost_micro_usd: record.usage?.costMicroUsd,
  estimated: record.usage?.estimated,
  unpriced: record.usage?.unpriced
})

/** Writes the stage rows of the turns in `of`, replacing those of earlier writes. */
export const writeStages = (sql: Sql, stages: string, of: "settled" | "spent", seq = sql`r.seq`) => sql`
  insert into turn_stages (app_id, session_id, turn_index, fence, seq, stage, attempt, started_at, latency_ms, status,
    decision, error_code, detail,
    model, input_tokens, cached_input_tokens, output_tokens, cost_micro_usd, estimated, unpriced)
  select s.app_id, s.session_id, s.turn_index, s.fence,
    ${seq}, r.stage, r.attempt, r.started_at, r.latency_ms, r.status, r.decision, r.error_code, r.detail,
    r.model, r.input_tokens, r.cached_input_tokens, r.output_tokens, r.cost_micro_usd, r.estimated, r.unpriced
  from json_to_recordset(${stages}::text::json) as r(n int, seq int, stage text, attempt int, started_at timestamptz,
    latency_ms float8, status text, decision text, error_code text, detail json,
    model text, input_tokens int, cached_input_tokens int, output_tokens int, cost_micro_usd bigint, estimated boolean,
      unpriced boolean)
  join ${sql(of)} s on s.n = r.n
  on conflict (app_id, session_id, turn_index, fence, seq) do update set latency_ms = excluded.latency_ms,
    status = excluded.status, decision = excluded.decision,
    error_code = excluded.error_code, detail = excluded.detail, model = excluded.model,
      input_tokens = excluded.input_tokens, cached_input_tokens = excluded.cached_input_tokens,
    output_tokens = excluded.output_tokens, cost_micro_usd = excluded.cost_micro_usd, estimated = excluded.estimated,
      unpriced = excluded.unpriced`

/**
 * The amounts that the rows for the attempt `d` were booked with before. With them, the cost of a turn is the sum of
 * its rows, in whatever order bookings come. The caller holds the session's lock, as every writer of money does.
 */
export const booked = (sql: Sql) => sql`
  select coalesce(sum(b.cost_micro_usd), 0)::bigint as booked_micro_usd from turn_stages b
  where b.app_id = d.app_id and b.session_id = d.session_id and b.turn_index = d.turn_index and b.fence = d.fence
    and b.seq < d.stages`
