import * as Schema from "effect/Schema"
import { Reason } from "./ProactiveBrief.ts"

export const EventRole = Schema.Literals(["user", "character", "system"])
export type EventRole = typeof EventRole.Type

export const SourceKind = Schema.Literals(["api", "telegram", "greeting", "proactive", "system", "image", "history"])
export type SourceKind = typeof SourceKind.Type

export const FailureReason = Schema.Literals(["generation_failed", "timed_out"])
export type FailureReason = typeof FailureReason.Type

/**
 * A part of a message that was more than text: its type, a description in words, and a transcript if it was
 * transcribed. `kind`: of type `unsupported`, the channel's own name of what was sent. `by` and `author`: of type
 * `quote` and `forward`, whose words they are.
 */
export const MessagePart = Schema.Struct({
  type: Schema.String,
  text: Schema.String,
  transcript: Schema.optionalKey(Schema.String),
  kind: Schema.optionalKey(Schema.String),
  by: Schema.optionalKey(Schema.Literals(["character", "user", "other"])),
  author: Schema.optionalKey(Schema.String)
})
export type MessagePart = typeof MessagePart.Type

const about = (description: string) => ({ description })

/** The payload of each event type of a conversation (contract 6). */
export const payloads = {
  "message.created": Schema.Struct({
    text: Schema.String.annotate(about("The bubbles, joined by line breaks")),
    bubbles: Schema.Array(Schema.String).annotate(about("Show them in this order, each as a message of its own")),
    turn_index: Schema.optionalKey(Schema.Int.annotate(about("With role character: the turn that it answers"))),
    client_message_id: Schema.optionalKey(
      Schema.String.annotate(about("With role user: the Idempotency-Key that it was sent with"))
    ),
    parts: Schema.optionalKey(
      Schema.Array(MessagePart).annotate(
        about("With role user: what came with the text, such as a voice message or a quotation")
      )
    )
  }),
  "run.status": Schema.Struct({
    status: Schema.Literal("generating"),
    run_ref: Schema.String.annotate(about("The trace_id of every event of this turn")),
    client_message_id: Schema.optionalKey(
      Schema.String.annotate(about("The Idempotency-Key that the message was sent with"))
    )
  }),
  "character.initiated": Schema.Struct({
    text: Schema.String,
    bubbles: Schema.Array(Schema.String),
    kind: Schema.Literals(["greeting", "proactive"]),
    reason: Schema.optionalKey(Reason.annotate(about("Only for a proactive message")))
  }),
  "image.ready": Schema.Struct({
    image_url: Schema.String,
    servable: Schema.Boolean.annotate(about("Whether image_url shows a picture. false: it was blocked or failed")),
    image_request_id: Schema.String,
    image_kind: Schema.String,
    visible_description: Schema.String,
    caption: Schema.NullOr(Schema.String),
    turn_id: Schema.NullOr(Schema.String).annotate(about("The run_ref of the turn that asked for it, if any"))
  }),
  "message.failed": Schema.Struct({
    turn_index: Schema.Int,
    reason: FailureReason,
    recoverable: Schema.Boolean.annotate(about("true: the message is recorded, and can be sent again as a new one"))
  }),
  "relationship_score.changed": Schema.Struct({
    relationship_scores: Schema.Array(
      Schema.Struct({
        key: Schema.String,
        label: Schema.String,
        value: Schema.Finite,
        lower_is_open: Schema.Boolean,
        updated_at: Schema.String,
        version: Schema.String
      })
    ),
    score_scale: Schema.Struct({ min: Schema.Finite, max: Schema.Finite }),
    redacted: Schema.optionalKey(
      Schema.Literal(true).annotate(about("The app has turned scores off since, and none are shown"))
    )
  }),
  "session.exited": Schema.Struct({ reason_code: Schema.String })
} as const
export type EventType = keyof typeof payloads
export type Payload<T extends EventType> = (typeof payloads)[T]["Type"]

/** The payload of each event type that only the conversations of a messenger have. They belong to no turn. */
export const messengerPayloads = {
  "channel.notice": Schema.Struct({
    kind: Schema.String,
    text: Schema.String.annotate(about("What the bot answered to a command or a button"))
  }),
  "message.edited": Schema.Struct({
    text: Schema.String,
    message_cursor: Schema.Int.annotate(about("Cursor of the message.created that was edited"))
  })
} as const
export type MessengerEventType = keyof typeof messengerPayloads
export type MessengerEvent = {
  [T in MessengerEventType]: { readonly type: T; readonly payload: (typeof messengerPayloads)[T]["Type"] }
}[MessengerEventType]

/** What a turn asks the log to append. The log assigns the cursor and the time. */
export type NewEvent = {
  [T in EventType]: { readonly type: T; readonly role: EventRole; readonly payload: Payload<T> }
}[EventType]
