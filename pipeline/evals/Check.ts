import * as Schema from "effect/Schema"

/** What a judge goes by. Each says in `rubrics.ts` what its scores mean. */
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

/** What became of a turn, or an event that it put on the log. */
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

/** What is asked of a turn, or of a whole case. The bounds are in `src/http/evals/evalCheckSchemas.ts`. */
export const Check = Schema.Union([
  check("contains", text),
  check("not_contains", text),
  /** In RE2 syntax. */
  check("regex", text),
  check("max_bubbles", number),
  check("max_chars", number),
  /** A BCP-47 tag. */
  check("language", text),
  check("event_type", { value: Schema.Literals(HAPPENINGS) }),
  check("forbidden_style_clean", {}),
  check("no_assistant_tells", {}),
  check("discloses_ai", {}),
  /** The key of a memory in the set-up. */
  check("recalls", text),
  check("not_recalls", text),
  check("cites_only_setup", {}),
  check("emotion_in", { value: Schema.Array(Schema.String) }),
  check("score_direction", { key: Schema.String, value: Schema.Literals(["up", "down", "flat"]) }),
  /** Words of the loop; any loop without them. */
  check("loop_opened", { value: Schema.optionalKey(Schema.String) }),
  check("loop_resolved", { value: Schema.optionalKey(Schema.String) }),
  check("safety_action", { value: Schema.Literals(SAFETY_ACTIONS) }),
  check("no_repeat", {}),
  check("latency_ms_max", number),
  check("cost_usd_max", number),
  /**
   * The share of `keys` (of memories in the set-up) among the first `k` that were found; `value` is the least, 1
   * without it.
   */
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

/** What a check came to. `turn`: the place of the turn that it was asked of, from 0; null: of the case. */
export const CheckResult = Schema.Struct({
  type: Schema.String,
  turn: Schema.NullOr(Schema.Int),
  status: CheckStatus,
  detail: Schema.String,
  /** Of a judge, and of retrieval_recall_at_k. */
  score: Schema.optionalKey(Schema.Number),
  rubric: Schema.optionalKey(Rubric),
  /** Who has judged, and by what: enough to know whether two scores may be compared. */
  judge: Schema.optionalKey(
    Schema.Struct({ model: Schema.String, prompt_hash: Schema.String, temperature: Schema.NullOr(Schema.Number) })
  )
})
export type CheckResult = typeof CheckResult.Type
