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

/** For a turn that answers no message: why it runs, and what it is about if that is something specific. */
export const ProactiveBrief = Schema.Struct({
  reason: Reason,
  about: Schema.NullOr(Schema.String),
  /** The text that the app has scheduled, sent as it is. */
  text: Schema.optionalKey(Schema.String),
  /** Topics that the person does not want to hear about. */
  avoid: Schema.Array(Schema.String),
  /** Topics that the person likes to hear about. Absent on turns from earlier versions. */
  welcome: Schema.optionalKey(Schema.Array(Schema.String)),
  /** What weighs on the person, by their last messages. Absent: nothing. */
  mood: Schema.optionalKey(Schema.Literals(["crisis", "grief", "conflict", "low"])),
  /** The kinds of channel that it is sent through. */
  channels: Schema.Array(Schema.String),
  /** The simulated time (ISO 8601) of the turn, if the sandbox has travelled in time. */
  as_of: Schema.optionalKey(Schema.String)
})
export type ProactiveBrief = typeof ProactiveBrief.Type
