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
  /** It is of no use any more. */
  readonly expired: boolean
  /** It lies behind the lane's position and was asked for once more. */
  readonly redo: boolean
  /** The parts of one that was asked for once more that have arrived already. */
  readonly sent: ReadonlyArray<number>
}

/** A lane in our hands, with the next events that its channel wants. Whoever shows this owner and fence may move it. */
export interface LaneLease {
  readonly appId: string
  readonly sessionId: string
  readonly channelId: string
  readonly kind: string
  readonly endpoint: string
  readonly channelVersion: number
  readonly owner: string
  readonly fence: number
  /** Failed tries at the first event, in its part. */
  readonly failures: number
  /**
   * Set when the first event is tried before its time, because its endpoint takes others again: what is left of the
   * wait.
   */
  readonly early: Duration.Duration | null
  /** The parts of the first event that the lane is past. */
  readonly part: number
  /** What was on the wire when an earlier lease was lost; it is on record as unknown. */
  readonly interrupted: { readonly cursor: number; readonly part: number } | null
  /** Tries of that, or of the first event in its part, of unknown fate. Only counted for a paced channel. */
  readonly unknowns: number
  /** In order; the intent to send the first is on record, unless the channel is paced. */
  readonly events: ReadonlyArray<LaneEvent>
  /** Up to here the log has been looked through for them. */
  readonly examined: number
}

export type OutcomeName = "sent" | "not_sent" | "unknown" | "rejected" | "gone" | "expired"

/** What became of one event, in one of its parts, and where the lane goes from there. */
export interface LaneStep {
  readonly lease: LaneLease
  readonly event: LaneEvent
  readonly part: number
  /** Of the parts of the event that are to be sent. */
  readonly last: boolean
  /** Null: there is nothing to put down. */
  readonly outcome: OutcomeName | null
  /** Whether it says how the channel is doing. */
  readonly telling: boolean
  readonly statusCode: number | null
  readonly errorCode: string | null
  readonly answer: string | null
  readonly startedAt: Date
  /** Null: nothing was sent. */
  readonly latency: Duration.Duration | null
  /**
   * `pass`: on to the next part or event. `park`: the same again, but not before something has made the lane ready.
   * Otherwise the same again after this time.
   */
  readonly onward: "pass" | "park" | { readonly retryAfter: Duration.Duration; readonly failures: number }
  /**
   * What the lane goes on with; the intent is recorded in the same transaction, unless the channel is paced. Null: give
   * the lane back.
   */
  readonly next: LaneEvent | null
  /** For how long the whole endpoint is to be left alone. */
  readonly throttle: Duration.Duration | null
}

/**
 * `next`: go on with the next event. `ready`: given back with more to deliver. `rest`: given back. `lost`: it had been
 * taken over, nothing was written.
 */
export type AfterStep = "next" | "ready" | "rest" | "lost"

/** How much a claim may take. */
export interface Room {
  readonly lanes: number
  /** Lanes in hand by endpoint and by app. */
  readonly endpoints: ReadonlyMap<string, number>
  readonly apps: ReadonlyMap<string, number>
  readonly perEndpoint: number
  /** And of a channel that is paced: it is held back by a limit of its own, and others need the places. */
  readonly perPaced: number
  readonly perApp: number
}

/** The lanes cannot be reached just now: ours, and passing. */
export class LanesUnavailable extends Schema.TaggedError<LanesUnavailable>()("LanesUnavailable", {
  cause: Schema.Defect()
}) {}

/** Port: the lanes as the courier sees them. */
export class Lanes extends Context.Service<
  Lanes,
  {
    /**
     * Leases ready lanes, channel by channel in turn, and records the intent to send the first event of each. `more`:
     * another claim may find some.
     */
    readonly claim: (
      owner: string,
      room: Room
    ) => Effect.Effect<{ readonly leases: ReadonlyArray<LaneLease>; readonly more: boolean }, LanesUnavailable>
    /**
     * Outcome, position and the next intent in one transaction, only while the lease is ours.
     * Waits while the database is away.
     */
    readonly settle: (step: LaneStep) => Effect.Effect<AfterStep, LanesUnavailable>
    /**
     * Puts down the intent to send this part now. False: the lane was taken over, or its channel stopped, held back or
     * changed.
     */
    readonly intend: (lane: LaneLease, cursor: number, part: number) => Effect.Effect<boolean, LanesUnavailable>
    /** Makes ready what has waited long enough, and frees lanes of owners that are not registered. */
    readonly sweep: Effect.Effect<void, LanesUnavailable>
    /** The lanes that this owner holds, by the table. */
    readonly heldBy: (owner: string) => Effect.Effect<ReadonlyArray<LaneRef>, LanesUnavailable>
    /** Gives back a lane that was leased and on which nothing was sent. */
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
