import * as Schema from "effect/Schema"

/** Why a character writes first. */
export const REASONS = [
  "cold_initiate",
  "session_resume",
  "open_loop_due",
  "event_followup",
  "storyline_beat",
  "scheduled_message"
] as const
export const Reason = Schema.Literals(REASONS)
export type Reason = typeof Reason.Type

/** Of a turn that answers nobody: why it is taken, and what it is about where that is something in particular. */
export const Initiative = Schema.Struct({
  reason: Reason,
  about: Schema.NullOr(Schema.String),
  /** The words that the app has scheduled, said as they are. */
  text: Schema.optionalKey(Schema.String),
  /** Topics that the person does not want to hear of. */
  avoid: Schema.Array(Schema.String),
  /** Topics that the person likes to hear of. Absent on turns of earlier versions. */
  welcome: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The kinds of channel that it goes out by. */
  channels: Schema.Array(Schema.String),
  /** The moment (ISO 8601) that it was taken as of, where the sandbox has travelled in time. */
  as_of: Schema.optionalKey(Schema.String)
})
export type Initiative = typeof Initiative.Type
