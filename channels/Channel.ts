import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** One event on its way along one lane. */
export interface Delivery {
  readonly appId: string
  readonly sessionId: string
  readonly channelId: string
  /** Of the channel's settings: a newer one means that what was kept in memory is old. */
  readonly channelVersion: number
  readonly cursor: number
  readonly eventId: string
  readonly type: string
  /** The event as in the log, JSON. */
  readonly event: string
}

/** What is known of an answer. */
const answered = { statusCode: Schema.NullOr(Schema.Int), answer: Schema.NullOr(Schema.String) }

/**
 * How a try ended.
 * - `Sent`: the receiver took it.
 * - `NotSent`: it surely did not. `throttle`: the whole endpoint asked to be left alone for a while.
 * - `Unknown`: it may have.
 * - `Rejected`: it will never take this event; the lane moves on.
 * - `Gone`: it will never take anything again.
 */
export const Attempt = Schema.TaggedUnion({
  Sent: { ...answered },
  NotSent: { ...answered, errorCode: Schema.String, retryAfter: Schema.NullOr(Schema.Duration), throttle: Schema.Boolean },
  Unknown: { ...answered, errorCode: Schema.String },
  Rejected: { ...answered, errorCode: Schema.String },
  Gone: { ...answered, errorCode: Schema.String }
})
export type Attempt = typeof Attempt.Type

/** Outcomes as the delivery view names them. */
export const OUTCOME_NAME = { Sent: "sent", NotSent: "not_sent", Unknown: "unknown", Rejected: "rejected", Gone: "gone" } as const satisfies Record<Attempt["_tag"], string>

/**
 * The one contract of a push channel. It only renders an event and tries to deliver it; the courier does everything else:
 * order, leases, retries, positions. `deliver` never fails, and ends within the channel's own time limits.
 */
export interface Channel {
  readonly kind: string
  /** Waits after the first, second, ... failed try, as they are before jitter. When they are used up the event expires. */
  readonly schedule: ReadonlyArray<Duration.Duration>
  /** Whether a try of unknown fate is made again (the receiver tells duplicates apart) or passed over. */
  readonly afterUnknown: "retry" | "skip"
  readonly deliver: (delivery: Delivery) => Effect.Effect<Attempt>
}

/** The push channels of this process, by kind. */
export class ChannelKinds extends Context.Service<ChannelKinds, ReadonlyMap<string, Channel>>()("channels/ChannelKinds") {}
