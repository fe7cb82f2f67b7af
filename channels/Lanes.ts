import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export interface LaneEvent {
  readonly cursor: number
  readonly id: string
  readonly type: string
  /** The event as in the log, JSON. */
  readonly text: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** The trace of its turn. */
  readonly traceparent: string | null
  /** It has expired. */
  readonly expired: boolean
  /** It is before the lane's position, and its redelivery was requested. */
  readonly redo: boolean
  /** For a redelivery, the parts that have already arrived. */
  readonly sent: ReadonlyArray<number>
}

/** A leased lane, with the next events for its channel. The holder of this owner and fence may move it. */
export interface LaneLease {
  readonly appId: string
  readonly sessionId: string
  readonly channelId: string
  readonly kind: string
  readonly endpoint: string
  readonly channelVersion: number
  readonly owner: string
  readonly fence: number
  /** Failed attempts of the first event, in its current part. */
  readonly failures: number
  /** Set if the first event is retried early, because its endpoint accepts others again: the rest of the delay. */
  readonly early: Duration.Duration | null
  /** The parts of the first event that are done. */
  readonly part: number
  /** The delivery that was in progress when an earlier lease was lost. It is recorded as unknown. */
  readonly interrupted: { readonly cursor: number; readonly part: number } | null
  /**
   * Attempts with unknown result, of that delivery or of the first event in its current part. Only counted for paced
   * channels.
   */
  readonly unknowns: number
  /** In order. The intent to send the first one is recorded, unless the channel is paced. */
  readonly events: ReadonlyArray<LaneEvent>
  /** The cursor up to which the log was searched for them. */
  readonly examined: number
}

export type OutcomeName = "sent" | "not_sent" | "unknown" | "rejected" | "gone" | "expired"

/** The result of one part of an event, and where the lane continues. */
export interface LaneStep {
  readonly lease: LaneLease
  readonly event: LaneEvent
  readonly part: number
  /** Whether it is the last part of the event. */
  readonly last: boolean
  /** Null: there is nothing to record. */
  readonly outcome: OutcomeName | null
  /** Whether it is evidence for the channel's health. */
  readonly reflectsHealth: boolean
  readonly statusCode: number | null
  readonly errorCode: string | null
  readonly answer: string | null
  /** JSON. Null: the channel does not tell what it sent, or nothing was sent. */
  readonly request: string | null
  readonly startedAt: Date
  /** Null: nothing was sent. */
  readonly latency: Duration.Duration | null
  /**
   * `pass`: go on to the next part or event. `park`: the same event again, after something has made the lane ready.
   * Otherwise the same again after this delay.
   */
  readonly move: "pass" | "park" | { readonly retryAfter: Duration.Duration; readonly failures: number }
  /**
   * The event that the lane continues with. Its intent is recorded in the same transaction, unless the channel is
   * paced. Null: release the lane.
   */
  readonly next: LaneEvent | null
  /** How long to pause the whole endpoint. */
  readonly throttle: Duration.Duration | null
}

/**
 * `next`: continue with the next event. `ready`: released, with more to deliver. `rest`: released. `lost`: it was taken
 * over, and nothing was written.
 */
export type AfterStep = "next" | "ready" | "rest" | "lost"

/** The limits of a claim. */
export interface ClaimCapacity {
  readonly lanes: number
  /** Leased lanes by endpoint and by app. */
  readonly endpoints: ReadonlyMap<string, number>
  readonly apps: ReadonlyMap<string, number>
  readonly perEndpoint: number
  /**
   * The limit per paced channel. It is lower, because such lanes wait for their rate limit and others need the slots.
   */
  readonly perPaced: number
  readonly perApp: number
}

/** The lanes are temporarily unavailable, through our own fault. */
export class LanesUnavailable extends Schema.TaggedError<LanesUnavailable>()("LanesUnavailable", {
  cause: Schema.Defect()
}) {}

/** Port: the lanes, from the courier's perspective. */
export class Lanes extends Context.Service<
  Lanes,
  {
    /**
     * Leases ready lanes, with channels in turn, and records the intent to send the first event of each. `more`:
     * another claim may find more.
     */
    readonly claim: (
      owner: string,
      room: ClaimCapacity
    ) => Effect.Effect<{ readonly leases: ReadonlyArray<LaneLease>; readonly more: boolean }, LanesUnavailable>
    /**
     * Writes result, position and the next intent in one transaction, if the lease is still ours. Waits while the
     * database is unavailable.
     */
    readonly settle: (step: LaneStep) => Effect.Effect<AfterStep, LanesUnavailable>
    /**
     * Records the intent to send this part now. False: the lane was taken over, or its channel was stopped, suspended
     * or changed.
     */
    readonly intend: (lane: LaneLease, cursor: number, part: number) => Effect.Effect<boolean, LanesUnavailable>
    /** Takes back the intent that this lease has recorded: nothing was delivered. */
    readonly withdraw: (lane: LaneRef) => Effect.Effect<void, LanesUnavailable>
    /** Makes lanes ready whose delay has passed, and releases lanes of unregistered owners. */
    readonly sweep: Effect.Effect<void, LanesUnavailable>
    /** The lanes that this owner holds according to the table. */
    readonly heldBy: (owner: string) => Effect.Effect<ReadonlyArray<LaneRef>, LanesUnavailable>
    /** Releases a leased lane on which nothing was sent. */
    readonly release: (lane: LaneRef) => Effect.Effect<void, LanesUnavailable>
  }
>()("channels/Lanes") {}

export interface LaneRef {
  readonly appId: string
  readonly sessionId: string
  readonly channelId: string
  readonly owner: string
  readonly fence: number
}
