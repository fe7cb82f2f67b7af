import * as Schema from "effect/Schema"
import { SAFETY_ACTIONS } from "./Check.ts"

const Emotion = Schema.Struct({ label: Schema.String, valence: Schema.Number, arousal: Schema.Number })
/** By the key of the dimension, 0 to 1. */
const Scores = Schema.Record(Schema.String, Schema.Number)
const Loop = Schema.Struct({ id: Schema.String, text: Schema.String })

export const PlayedTurn = Schema.Struct({
  user: Schema.String,
  outcome: Schema.Literals(["replied", "withheld", "exited", "failed"]),
  /** Why it failed or was withheld. */
  reason: Schema.NullOr(Schema.String),
  bubbles: Schema.Array(Schema.String),
  /** The types of the events that it logged. */
  events: Schema.Array(Schema.String),
  safety: Schema.NullOr(Schema.Literals(SAFETY_ACTIONS)),
  /** The gates that refused a draft. */
  refused_by: Schema.Array(Schema.String),
  /** Ids of the memories that were found, best first, and of those that the writer relied on. */
  retrieved: Schema.Array(Schema.String),
  cited: Schema.Array(Schema.String),
  emotion: Emotion,
  scores: Scores,
  opened: Schema.Array(Loop),
  resolved: Schema.Array(Loop),
  latency_ms: Schema.Number,
  cost_micro_usd: Schema.Int
})
export type PlayedTurn = typeof PlayedTurn.Type

/** What happened when a case was played. It is enough to grade the case again without playing it. */
export const Trajectory = Schema.Struct({
  greeting: Schema.Array(Schema.String),
  /** By their keys in the setup. */
  memory_ids: Schema.Record(Schema.String, Schema.String),
  scores: Scores,
  turns: Schema.Array(PlayedTurn)
})
export type Trajectory = typeof Trajectory.Type

export const replyOf = ({ bubbles }: Pick<PlayedTurn, "bubbles">): string => bubbles.join("\n")
