import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { MessagePart, SourceKind } from "./domain/Event.ts"
import type { Fault, ReplyMode } from "./domain/Turn.ts"

export interface InboundMessage {
  readonly appId: string
  readonly sessionId: string
  readonly text: string
  /** The parts of the message, if it is more than text. */
  readonly parts?: ReadonlyArray<MessagePart>
  readonly replyMode: ReplyMode
  /** The sender's idempotency key for this message. The same key again returns the first result. */
  readonly clientMessageId: string | null
  /** The channel that the message came from. Only `api` logs `run.status` (contract 6). */
  readonly source: SourceKind
  /** How the turn should end (sandbox only). */
  readonly fault?: Fault | undefined
}

export interface Accepted {
  readonly cursor: number
  readonly turnIndex: number
  readonly runRef: string
  readonly replyMode: ReplyMode
  /** True if the key was known and nothing was written. */
  readonly replayed: boolean
}

/**
 * `message_limit_reached` and `message_too_long` are limits of a demo app, `budget_exceeded` is the app's limit and
 * `end_user_cap_exceeded` is the end user's.
 */
export const RefusalReason = Schema.Literals([
  "session_not_found",
  "message_limit_reached",
  "message_too_long",
  "session_exited",
  "end_user_blocked",
  "budget_exceeded",
  "end_user_cap_exceeded",
  "turn_queue_full"
])
export type RefusalReason = typeof RefusalReason.Type

/** The sender's error: nothing was written and no model ran. Sending the same message again is refused again. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", { reason: RefusalReason }) {}

/** Our error: the store cannot be reached, so it is unknown whether anything was written. */
export class InboxUnavailable extends Schema.TaggedError<InboxUnavailable>()("InboxUnavailable", {
  cause: Schema.Defect()
}) {}

/** Port: channels hand in user messages here. Succeeds only after the commit that records the turn (contract 3.1). */
export class Inbox extends Context.Service<
  Inbox,
  {
    readonly accept: (message: InboundMessage) => Effect.Effect<Accepted, Refused | InboxUnavailable>
    /** Returns what was accepted under the sender's key, if anything. Writes nothing. */
    readonly replay: (
      message: Pick<InboundMessage, "appId" | "sessionId"> & { readonly clientMessageId: string }
    ) => Effect.Effect<Accepted | undefined, InboxUnavailable>
  }
>()("pipeline/Inbox") {}
