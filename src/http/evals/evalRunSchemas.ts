import * as z from "zod"
import { OPERATORS } from "#pipeline/evals/Suite.ts"
import { EVAL_ENGINES, EVAL_STATUSES } from "#src/db/evals/EvalRuns.ts"
import { between, wholeBetween } from "#src/http/server/schemas/number.ts"
import { interval, share } from "./evalFigures.ts"

const cost = between(0, 10_000)
  .optional()
  .meta({ description: "Cost limit of the run. Required unless the run costs nothing, as with the offline engine" })
export const RunCreate = z.object({
  character_version: wholeBetween(1, 2_147_483_647).optional().meta({ description: "Default: the newest" }),
  reply_mode: z.enum(["fast", "deep"]).default("fast"),
  engine: z
    .enum(EVAL_ENGINES)
    .default("default")
    .meta({ description: "offline: authored lines, without a model and free" }),
  repeats: wholeBetween(1, 5).default(1),
  seed: wholeBetween(0, 2_147_483_647).default(1).meta({
    description: "Seed of the random choices. The same seed gives the same results, as far as the engine allows"
  }),
  baseline_run_id: z.string().max(64).optional().meta({ description: "The run to compare this one with" }),
  max_cost_usd: cost
})
export const RegradeCreate = z.object({ max_cost_usd: cost })

const time = z.iso.datetime()
const mean = z.object({ mean: z.number().nullable(), interval, n: z.int() })
export const EvalRunData = z.object({
  id: z.string(),
  suite_id: z.string(),
  status: z.enum(EVAL_STATUSES),
  character_slug: z.string(),
  character_version: z.int(),
  reply_mode: z.enum(["fast", "deep"]),
  engine: z.enum(EVAL_ENGINES),
  repeats: z.int(),
  seed: z.int(),
  baseline_run_id: z.string().nullable(),
  regrade_of: z.string().nullable().describe("The run whose conversations were regraded"),
  max_cost_usd: z.number(),
  cost_usd: z.number(),
  progress: z.object({ done: z.int(), total: z.int() }).describe("Number of cases, counting repeats"),
  verdict: z
    .enum(["pass", "fail"])
    .nullable()
    .describe("Result of the gates. null: there are no gates, or the run has not ended"),
  gates: z.array(
    z.object({
      metric: z.string(),
      op: z.enum(OPERATORS),
      value: z.number(),
      actual: z.number().nullable(),
      status: z.enum(["pass", "fail", "skipped"])
    })
  ),
  metrics: z
    .object({
      counts: z.object({ pass: z.int(), fail: z.int(), skipped: z.int(), error: z.int() }),
      pass_rate: mean.describe("Weighted, over the cases that could be judged"),
      rubrics: z.record(z.string(), mean),
      repetition_rate: share,
      break_rate: share,
      false_memory_rate: share,
      refusal_rate: share,
      recall_at_k: share,
      latency_p50_ms: share,
      latency_p95_ms: share,
      cost_usd: z.number()
    })
    .nullable()
    .describe("Set when the run has ended"),
  error_code: z.string().nullable(),
  created_at: time,
  started_at: time.nullable(),
  finished_at: time.nullable()
})
export const EvalRunPage = z.object({ runs: z.array(EvalRunData), next_cursor: z.string().nullable() })
