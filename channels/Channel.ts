import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ChannelKind } from "./ChannelKind.ts"

/** One event on its way along one lane. */
export interface Delivery {
  readonly appId: string
  readonly sessionId: string
  readonly channelId: string
  /** Version of the channel's settings. If it is newer than a cached one, the cache is outdated. */
  readonly channelVersion: number
  readonly cursor: number
  readonly eventId: string
  readonly type: string
  /** The event as in the log, JSON. */
  readonly event: string
}

/** One of the messages that the event is for its channel. */
export interface Part extends Delivery {
  /** From 0. */
  readonly part: number
  /** Attempts of this part with unknown result. */
  readonly unknowns: number
}

/** With what its channel made of it. */
export interface Message<Content> extends Part {
  readonly content: Content
}

/** The receiver's answer, if there is one. */
const answered = {
  statusCode: Schema.NullOr(Schema.Int),
  answer: Schema.NullOr(Schema.String),
  /** What was sent and failed, as JSON for operators: no secret, and nothing that was said. */
  request: Schema.optionalKey(Schema.String)
}

/**
 * The result of an attempt.
 * - `Sent`: the receiver accepted it.
 * - `NotSent`: it was certainly not delivered. `throttle`: the receiver is overloaded, so the whole endpoint is paused.
 *   With a `retryAfter`, that does not count as a failed try of an event that is less than a day old.
 * - `Unknown`: it may have been delivered.
 * - `Rejected`: the receiver will never accept this event; the lane moves on.
 * - `Gone`: the receiver will never accept anything again.
 * - `Later`: certainly not delivered, because this channel's own pace does not allow it yet. Never counted as a
 *   failure.
 * - `Parked`: certainly not delivered, and this lane is parked until something happens there.
 */
export const Attempt = Schema.TaggedUnion({
  Sent: { ...answered },
  NotSent: {
    ...answered,
    errorCode: Schema.String,
    retryAfter: Schema.NullOr(Schema.Duration),
    throttle: Schema.Boolean
  },
  Unknown: { ...answered, errorCode: Schema.String },
  Rejected: { ...answered, errorCode: Schema.String },
  Gone: { ...answered, errorCode: Schema.String },
  Later: { ...answered, errorCode: Schema.String, after: Schema.Duration },
  Parked: { ...answered, errorCode: Schema.String }
})
export type Attempt = typeof Attempt.Type

/** Outcomes as deliveries show them in the API. */
export const OUTCOME_NAME = {
  Sent: "sent",
  NotSent: "not_sent",
  Unknown: "unknown",
  Rejected: "rejected",
  Gone: "gone",
  Later: "not_sent",
  Parked: "not_sent"
} as const satisfies Record<Attempt["_tag"], string>

/**
 * The intent could not be recorded: the lane was taken over, its channel was stopped, suspended or changed, or the
 * database is away. The message must not be sent.
 */
export class NotIntended extends Schema.TaggedError<NotIntended>()("NotIntended", {}) {}

/**
 * The intent to send one message. While it is on record the message may arrive, so a process that dies in this time
 * leaves an unknown result.
 */
export interface Intent {
  /** Immediately before the receiver gets the message, after every wait. Again for every further try. */
  readonly record: Effect.Effect<void, NotIntended>
  /** The message was certainly not delivered, and its next try is not immediate. */
  readonly withdraw: Effect.Effect<void>
}

/** Of a message whose intent the courier has recorded, or that is on no lane. */
export const INTENDED: Intent = { record: Effect.void, withdraw: Effect.void }

/** The kind of a channel, and what only a paced one does. */
type OfKind =
  | { readonly kind: ChannelKind<false> }
  | {
      readonly kind: ChannelKind<true>
      /**
       * Waits for its turn, or returns how long that would take. Without it, each message is sent at once.
       */
      readonly admit?: (part: Part) => Effect.Effect<Admission>
    }

/**
 * The one contract of a push channel. It only renders an event and tries to deliver it; the courier does everything
 * else: order, leases, retries, positions. `deliver` ends within the channel's own time limits, and fails only if the
 * intent could not be recorded. What a channel opened goes only to its own `deliver`, so the courier need not know
 * `Content`.
 */
export type Channel<Content = unknown> = OfKind & {
  /**
   * Waits after the first, second, ... failed try of this delivery, as they are before jitter. When they are used up
   * the event expires.
   */
  readonly retry: (delivery: Delivery) => Effect.Effect<ReadonlyArray<Duration.Duration>>
  /**
   * After an attempt with unknown result: whether to retry or skip. `unknowns` counts such attempts. `crashed`: its
   * process died.
   */
  readonly afterUnknown: (part: Part, attempt: { readonly crashed: boolean }) => Effect.Effect<"retry" | "skip">
  /**
   * The lane has come to this event: the messages that it is here, in order. Rendered once a lease, and the same ones
   * each time, for a lane that comes back goes on with the part that it stood at.
   */
  readonly open: (delivery: Delivery) => Effect.Effect<ReadonlyArray<Content>>
  /** Only a paced channel records the intent. That of any other is on record already. */
  // A method, so that a channel of any content is one of unknown content.
  deliver(message: Message<Content>, intent: Intent): Effect.Effect<Attempt, NotIntended>
}

/** `go`: send now. Otherwise the lane is released for this long. */
export type Admission = "go" | { readonly after: Duration.Duration }

/** The push channels of this process, by kind. */
export class ChannelKinds extends Context.Service<ChannelKinds, ReadonlyMap<string, Channel>>()(
  "channels/ChannelKinds"
) {}
