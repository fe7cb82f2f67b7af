import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { MessagePart, SourceKind } from "./domain/Event.ts"
import type { Fault, ReplyMode } from "./domain/Turn.ts"

export interface InboundMessage {
  readonly appId: string
  readonly sessionId: string
  readonly text: string
  /** What it consists of, where that is more than the text. */
  readonly parts?: ReadonlyArray<MessagePart>
  readonly replyMode: ReplyMode
  /** The sender's key for this logical message; the same key again returns the first result. */
  readonly clientMessageId: string | null
  /** The channel it came in by. Only `api` logs `run.status` (contract 6). */
  readonly source: SourceKind
  /** How the turn is to end, in the sandbox. */
  readonly fault?: Fault | undefined
}

export interface Accepted {
  readonly cursor: number
  readonly turnIndex: number
  readonly runRef: string
  readonly replyMode: ReplyMode
  /** True when this key was known: nothing was written. */
  readonly replayed: boolean
}

/**
 * Of the limits, `message_limit_reached` and `message_too_long` are those of a demo app, `budget_exceeded` is the app's
 * and `end_user_cap_exceeded` that of the person who writes.
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

/** The sender's fault: nothing was written, no model ran, the same message again is refused again. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", { reason: RefusalReason }) {}

/** Ours: the store cannot be reached, so nothing is known to be written. */
export class InboxUnavailable extends Schema.TaggedError<InboxUnavailable>()("InboxUnavailable", {
  cause: Schema.Defect()
}) {}

/**
 * Port: where every channel hands in a user's message. Succeeds only after the commit that records the turn (contract
 * 3.1).
 */
export class Inbox extends Context.Service<
  Inbox,
  {
    readonly accept: (message: InboundMessage) => Effect.Effect<Accepted, Refused | InboxUnavailable>
    /** What was accepted under a sender's key, if anything was. Writes nothing. */
    readonly replay: (
      message: Pick<InboundMessage, "appId" | "sessionId"> & { readonly clientMessageId: string }
    ) => Effect.Effect<Accepted | undefined, InboxUnavailable>
  }
>()("pipeline/Inbox") {}
