import * as Schema from "effect/Schema"

export const EventRole = Schema.Literals(["user", "character", "system"])
export type EventRole = typeof EventRole.Type

export const SourceKind = Schema.Literals(["api", "telegram", "greeting", "proactive", "system", "image"])
export type SourceKind = typeof SourceKind.Type

export const FailureReason = Schema.Literals(["generation_failed", "timed_out"])
export type FailureReason = typeof FailureReason.Type

/** The payload of each event type (contract 6). */
export const payloads = {
  "message.created": Schema.Struct({
    text: Schema.String,
    bubbles: Schema.Array(Schema.String),
    turn_index: Schema.optionalKey(Schema.Int),
    client_message_id: Schema.optionalKey(Schema.String)
  }),
  "run.status": Schema.Struct({
    status: Schema.Literal("generating"),
    run_ref: Schema.String,
    client_message_id: Schema.optionalKey(Schema.String)
  }),
  "character.initiated": Schema.Struct({
    text: Schema.String,
    bubbles: Schema.Array(Schema.String),
    kind: Schema.Literals(["greeting", "proactive"])
  }),
  "message.failed": Schema.Struct({
    turn_index: Schema.Int,
    reason: FailureReason,
    recoverable: Schema.Boolean
  }),
  "session.exited": Schema.Struct({ reason_code: Schema.String })
} as const
export type EventType = keyof typeof payloads
export type Payload<T extends EventType> = (typeof payloads)[T]["Type"]

/** What a turn asks the log to append; the log gives it its cursor and its time. */
export type NewEvent = {
  [T in EventType]: { readonly type: T; readonly role: EventRole; readonly payload: Payload<T> }
}[EventType]

/** Version of the event's own fields (contract 2.3). */
export const EVENT_SCHEMA_VERSION = "1"

/** One stored event. `payload` is JSON text and stays text: readers pass it on, they do not parse it. */
export interface StoredEvent {
  readonly id: string
  readonly cursor: number
  readonly session_id: string
  readonly type: string
  readonly role: string
  readonly trace_id: string
  readonly created_at: Date
  readonly payload: string
  readonly source_kind: string
  readonly source_id: string | null
}

/** The event as every reader gets it, encoded once (contract 2.3). All columns but `payload` and `source_id` are our own plain ASCII. */
export const encodeEvent = (event: StoredEvent): string =>
  `{"id":"${event.id}","schema_version":"${EVENT_SCHEMA_VERSION}","cursor":${event.cursor},"session_id":"${event.session_id}"` +
  `,"type":"${event.type}","event_type":"${event.type}","role":"${event.role}","trace_id":"${event.trace_id}"` +
  `,"created_at":"${event.created_at.toISOString()}","payload":${event.payload}` +
  `,"source_ref":{"kind":"${event.source_kind}"${event.source_id === null ? "" : `,"id":${JSON.stringify(event.source_id)}`}}}`
