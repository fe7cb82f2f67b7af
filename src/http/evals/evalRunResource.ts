import type { ListedRun, StoredResult } from "#src/db/evals/EvalRuns.ts"
import { toUsd } from "#src/http/server/usd.ts"

const iso = (time: Date | null) => time?.toISOString() ?? null

export const toEvalRun = (run: ListedRun) => ({
  id: run.run_id,
  suite_id: run.suite_id,
  status: run.status,
  character_slug: run.character_slug,
  character_version: run.character_version,
  reply_mode: run.reply_mode,
  engine: run.engine,
  repeats: run.repeats,
  seed: run.seed,
  baseline_run_id: run.baseline_run_id,
  regrade_of: run.regrade_of,
  max_cost_usd: toUsd(run.max_cost_micro_usd),
  cost_usd: toUsd(run.spent_micro_usd),
  progress: { done: run.done, total: run.total },
  verdict: run.verdict,
  gates: run.gate_results ?? [],
  metrics: run.metrics,
  error_code: run.error_code,
  created_at: run.created_at.toISOString(),
  started_at: iso(run.started_at),
  finished_at: iso(run.finished_at)
})

/** What was said and observed, without scores, which are only exposed by the meter (contract 2.5). */
export const toEvalResult = ({
  case_key,
  repeat,
  status,
  checks,
  trajectory,
  cost_micro_usd,
  finished_at
}: StoredResult) => {
  const keys = new Map(Object.entries(trajectory?.memory_ids ?? {}).map(([key, id]) => [id, key]))
  const named = (ids: ReadonlyArray<string>) => ids.flatMap((id) => keys.get(id) ?? [])
  return {
    case_key,
    repeat,
    status,
    checks: checks ?? [],
    greeting: trajectory?.greeting ?? [],
    turns: (trajectory?.turns ?? []).map((turn) => ({
      user: turn.user,
      outcome: turn.outcome,
      reason: turn.reason,
      bubbles: turn.bubbles,
      safety: turn.safety,
      refused_by: turn.refused_by,
      retrieved: named(turn.retrieved),
      cited: named(turn.cited),
      emotion: turn.emotion.label,
      opened: turn.opened,
      resolved: turn.resolved,
      latency_ms: turn.latency_ms,
      cost_usd: toUsd(turn.cost_micro_usd)
    })),
    cost_usd: toUsd(cost_micro_usd),
    finished_at: iso(finished_at)
  }
}
