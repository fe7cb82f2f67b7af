import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** One event, or one part of it, for delivery on one lane. */
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
  /** Index of this message among those that the event has for this channel, from 0. */
  readonly part: number
  /** Attempts of this part with unknown result. */
  readonly unknowns: number
}

/** The receiver's answer, if there is one. */
const answered = { statusCode: Schema.NullOr(Schema.Int), answer: Schema.NullOr(Schema.String) }

/**
 * The result of an attempt.
 * - `Sent`: the receiver accepted it.
 * - `NotSent`: it was certainly not delivered. `throttle`: pause the whole endpoint for this long.
 * - `Unknown`: it may have been delivered.
 * - `Rejected`: the receiver will never accept this event; the lane moves on.
 * - `Gone`: the receiver will never accept anything again.
 * - `Later`: certainly not delivered, and the receiver says when to retry. Not counted as a failure.
 * - `Held`: certainly not delivered, and this lane is parked until something happens there.
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
  Held: { ...answered, errorCode: Schema.String }
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
  Held: "not_sent"
} as const satisfies Record<Attempt["_tag"], string>

/**
 * The interface of a push channel. It only renders an event and tries to deliver it. The courier does everything else:
 * order, leases, retries, positions. `deliver` never fails, and ends within the channel's own time limits.
 */
export interface Channel {
  readonly kind: string
  /** Delays after the first, second, ... failed attempt, before jitter. After the last one the event expires. */
  readonly schedule: ReadonlyArray<Duration.Duration>
  /** After an attempt with unknown result: whether to retry or skip. `unknowns` counts such attempts. */
  readonly afterUnknown: (delivery: Delivery) => Effect.Effect<"retry" | "skip">
  /** Called when the lane reaches this event: returns its number of messages. Default: one. */
  readonly open?: (delivery: Delivery) => Effect.Effect<number>
  /**
   * For `paced` channels: waits for a rate limit slot, or returns how long that would take. The intent is recorded
   * afterwards, so a process that dies while waiting has sent nothing.
   */
  readonly admit?: (delivery: Delivery) => Effect.Effect<Admission>
  readonly deliver: (delivery: Delivery) => Effect.Effect<Attempt>
}

/** `go`: send now. Otherwise the lane is released for this long. */
export type Admission = "go" | { readonly after: Duration.Duration }

/** The push channels of this process, by kind. */
export class ChannelKinds extends Context.Service<ChannelKinds, ReadonlyMap<string, Channel>>()(
  "channels/ChannelKinds"
) {}
