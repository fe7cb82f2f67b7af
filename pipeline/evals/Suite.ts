import * as Schema from "effect/Schema"
import { MemoryKind, MemorySubject } from "../relational/Relationship.ts"
import { Check } from "./Check.ts"

const SetupMemory = Schema.Struct({
  /** Checks refer to it by this key. */
  key: Schema.String,
  text: Schema.String,
  kind: MemoryKind,
  subject: MemorySubject,
  importance: Schema.Int,
  confidence: Schema.Number,
  pinned: Schema.Boolean,
  valid_at: Schema.optionalKey(Schema.String)
})

/** The state before the first turn of a case. */
export const Setup = Schema.Struct({
  memories: Schema.Array(SetupMemory),
  scores: Schema.Record(Schema.String, Schema.Number),
  emotion: Schema.optionalKey(Schema.Struct({ label: Schema.String, valence: Schema.Number, arousal: Schema.Number })),
  /** The time (ISO 8601) at which the session is opened. From there the clock runs normally. */
  clock: Schema.optionalKey(Schema.String),
  end_user: Schema.Struct({
    display_name: Schema.optionalKey(Schema.NullOr(Schema.String)),
    timezone: Schema.optionalKey(Schema.NullOr(Schema.String)),
    locale: Schema.optionalKey(Schema.NullOr(Schema.String)),
    age_band: Schema.optionalKey(Schema.NullOr(Schema.Literals(["adult", "minor", "unknown"])))
  })
})
export type Setup = typeof Setup.Type

export const Case = Schema.Struct({
  key: Schema.String,
  setup: Setup,
  turns: Schema.Array(Schema.Struct({ user: Schema.String, expect: Schema.Array(Check) })),
  expect: Schema.Array(Check),
  tags: Schema.Array(Schema.String),
  weight: Schema.Number
})
export type Case = typeof Case.Type

/** What a gate may compare, besides the means of rubrics (`rubric.empathy`). */
export const METRICS = [
  "pass_rate",
  "repetition_rate",
  "break_rate",
  "false_memory_rate",
  "refusal_rate",
  "recall_at_k",
  "latency_p50_ms",
  "latency_p95_ms",
  "cost_usd"
] as const
export const OPERATORS = ["gte", "gt", "lte", "lt"] as const

export const Gate = Schema.Struct({ metric: Schema.String, op: Schema.Literals(OPERATORS), value: Schema.Number })
export type Gate = typeof Gate.Type

export const Cases = Schema.Array(Case)
export const Gates = Schema.Array(Gate)
