import * as Schema from "effect/Schema"

/** What a judge rates. `rubrics.ts` defines what the scores mean. */
export const RUBRICS = [
  "persona_consistency",
  "flaw_critique",
  "knowledge_boundary",
  "empathy",
  "sycophancy",
  "pairwise_vs_baseline"
] as const
export const Rubric = Schema.Literals(RUBRICS)
export type Rubric = typeof Rubric.Type

/** The outcome of a turn, or an event that it logged. */
export const HAPPENINGS = [
  "replied",
  "withheld",
  "exited",
  "failed",
  "message.created",
  "message.failed",
  "session.exited"
] as const
export const SAFETY_ACTIONS = ["allow", "soften", "refuse_in_voice", "crisis"] as const

const check = <const T extends string, const F extends Schema.Struct.Fields>(type: T, fields: F) =>
  Schema.Struct({ type: Schema.Literal(type), ...fields })
const text = { value: Schema.String }
const number = { value: Schema.Number }

/** A check of a turn or of a whole case. The bounds are in `src/http/evals/evalCheckSchemas.ts`. */
export const Check = Schema.Union([
  check("contains", text),
  check("not_contains", text),
  /** RE2 syntax. */
  check("regex", text),
  check("max_bubbles", number),
  check("max_chars", number),
  /** A BCP-47 tag. */
  check("language", text),
  check("event_type", { value: Schema.Literals(HAPPENINGS) }),
  check("forbidden_style_clean", {}),
  check("no_assistant_tells", {}),
  check("discloses_ai", {}),
  /** The key of a memory in the setup. */
  check("recalls", text),
  check("not_recalls", text),
  check("cites_only_setup", {}),
  check("emotion_in", { value: Schema.Array(Schema.String) }),
  check("score_direction", { key: Schema.String, value: Schema.Literals(["up", "down", "flat"]) }),
  /** Words of the loop. Absent: any loop matches. */
  check("loop_opened", { value: Schema.optionalKey(Schema.String) }),
  check("loop_resolved", { value: Schema.optionalKey(Schema.String) }),
  check("safety_action", { value: Schema.Literals(SAFETY_ACTIONS) }),
  check("no_repeat", {}),
  check("latency_ms_max", number),
  check("cost_usd_max", number),
  /** The share of `keys` (memories in the setup) among the first `k` results. `value` is the minimum, 1 if absent. */
  check("retrieval_recall_at_k", {
    keys: Schema.Array(Schema.String),
    k: Schema.Int,
    value: Schema.optionalKey(Schema.Number)
  }),
  check("judge", { rubric: Rubric, min: Schema.Number })
])
export type Check = typeof Check.Type
export type CheckType = Check["type"]

export const CheckStatus = Schema.Literals(["pass", "fail", "skipped", "error"])
export type CheckStatus = typeof CheckStatus.Type

/** The result of a check. `turn`: the index of the turn, from 0. Null: the check is about the whole case. */
export const CheckResult = Schema.Struct({
  type: Schema.String,
  turn: Schema.NullOr(Schema.Int),
  status: CheckStatus,
  detail: Schema.String,
  /** For judges and retrieval_recall_at_k. */
  score: Schema.optionalKey(Schema.Number),
  rubric: Schema.optionalKey(Rubric),
  /** Which judge and prompt gave the score, to tell whether two scores can be compared. */
  judge: Schema.optionalKey(
    Schema.Struct({ model: Schema.String, prompt_hash: Schema.String, temperature: Schema.NullOr(Schema.Number) })
  )
})
export type CheckResult = typeof CheckResult.Type
