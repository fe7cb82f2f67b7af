import * as Schema from "effect/Schema"
import { Reason } from "./ProactiveBrief.ts"

export const EventRole = Schema.Literals(["user", "character", "system"])
export type EventRole = typeof EventRole.Type

export const SourceKind = Schema.Literals(["api", "telegram", "greeting", "proactive", "system", "image"])
export type SourceKind = typeof SourceKind.Type

export const FailureReason = Schema.Literals(["generation_failed", "timed_out"])
export type FailureReason = typeof FailureReason.Type

/**
 * A part of a message that was more than text: its kind, a description in words, and a transcript if it was
 * transcribed.
 */
export const MessagePart = Schema.Struct({
  type: Schema.String,
  text: Schema.String,
  transcript: Schema.optionalKey(Schema.String)
})
export type MessagePart = typeof MessagePart.Type

/** The payload of each event type (contract 6). */
export const payloads = {
  "message.created": Schema.Struct({
    text: Schema.String,
    bubbles: Schema.Array(Schema.String),
    turn_index: Schema.optionalKey(Schema.Int),
    client_message_id: Schema.optionalKey(Schema.String),
    parts: Schema.optionalKey(Schema.Array(MessagePart))
  }),
  "run.status": Schema.Struct({
    status: Schema.Literal("generating"),
    run_ref: Schema.String,
    client_message_id: Schema.optionalKey(Schema.String)
  }),
  "character.initiated": Schema.Struct({
    text: Schema.String,
    bubbles: Schema.Array(Schema.String),
    kind: Schema.Literals(["greeting", "proactive"]),
    /** Only for a proactive message. */
    reason: Schema.optionalKey(Reason)
  }),
  "image.ready": Schema.Struct({
    image_url: Schema.String,
    /** Whether the address shows a picture. False if it was blocked or failed. */
    servable: Schema.Boolean,
    image_request_id: Schema.String,
    image_kind: Schema.String,
    visible_description: Schema.String,
    caption: Schema.NullOr(Schema.String),
    /** The turn that caused the event, if any. */
    turn_id: Schema.NullOr(Schema.String)
  }),
  "message.failed": Schema.Struct({
    turn_index: Schema.Int,
    reason: FailureReason,
    recoverable: Schema.Boolean
  }),
  "relationship_score.changed": Schema.Struct({
    relationship_scores: Schema.Array(
      Schema.Struct({
        key: Schema.String,
        label: Schema.String,
        value: Schema.Number,
        lower_is_open: Schema.Boolean,
        updated_at: Schema.String,
        version: Schema.String
      })
    ),
    score_scale: Schema.Struct({ min: Schema.Number, max: Schema.Number })
  }),
  "session.exited": Schema.Struct({ reason_code: Schema.String })
} as const
export type EventType = keyof typeof payloads
export type Payload<T extends EventType> = (typeof payloads)[T]["Type"]

/** What a turn asks the log to append. The log assigns the cursor and the time. */
export type NewEvent = {
  [T in EventType]: { readonly type: T; readonly role: EventRole; readonly payload: Payload<T> }
}[EventType]
