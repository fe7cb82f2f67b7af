import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { TROUPE } from "#pipeline/telemetry/genAi.ts"
import { continueTrace, describeSpan, inSpan } from "#pipeline/telemetry/trace.ts"
import { receiverDependency } from "#pipeline/telemetry/Dependency.ts"
import { clockSeconds, countersByTwo, histogramsBy, LONG_SECONDS, QUICK_SECONDS } from "#pipeline/telemetry/metric.ts"
import { Attempt, type Channel, INTENDED, type Intent, type Message, NotIntended, OUTCOME_NAME } from "./Channel.ts"
import { deliveryOf, nextEvent, moveAfter, type Stop, type StopResult, stopsOf, tryAt, unsent } from "./laneWalk.ts"
import type { LaneEvent, LaneLease, Lanes } from "./Lanes.ts"

const attempts = countersByTwo(
  "troupe_deliveries_total",
  "Attempts to deliver a message, by kind of channel and outcome",
  ["kind", "outcome"]
)
const attemptSeconds = histogramsBy(
  "troupe_delivery_seconds",
  "Time of one attempt to deliver a message, by kind of channel",
  QUICK_SECONDS,
  "kind"
)
const lagSeconds = histogramsBy(
  "troupe_delivery_lag_seconds",
  "Time from an event to its delivery, by kind of channel",
  LONG_SECONDS,
  "kind"
)

const defected = Attempt.cases.Unknown.make({ statusCode: null, answer: null, errorCode: "defect" })

const noteReceiver = (attempt: Attempt, { appId, channelId }: Message<unknown>) => {
  if (attempt._tag === "Sent") return receiverDependency.worked({ app_id: appId, channel_id: channelId })
  return attempt._tag === "NotSent" || attempt._tag === "Unknown"
    ? receiverDependency.failed(attempt.errorCode, { app_id: appId, channel_id: channelId })
    : Effect.void
}

const deliver = Effect.fnUntraced(function* (
  channel: Channel,
  message: Message<unknown>,
  event: LaneEvent,
  earlier: Pick<LaneLease, "failures" | "early">,
  intent: Intent
): Effect.fn.Return<StopResult, NotIntended> {
  const startedAt = yield* Clock.currentTimeMillis
  const begunAt = clockSeconds()
  const attempt = yield* channel.deliver(message, intent).pipe(
    Effect.tap(({ _tag }) => describeSpan({ [TROUPE.outcome]: OUTCOME_NAME[_tag] })),
    inSpan(`deliver ${channel.kind.name}`, "client", {
      [TROUPE.app]: message.appId,
      [TROUPE.session]: message.sessionId,
      [TROUPE.channel]: message.channelId,
      [TROUPE.channelKind]: channel.kind.name,
      [TROUPE.event]: message.eventId
    }),
    continueTrace(event.traceparent),
    Effect.catchCauseIf(
      (cause) => Cause.hasDies(cause),
      (cause) => Effect.as(Effect.logError("delivery failed", cause), defected)
    )
  )
  attempts(channel.kind.name, OUTCOME_NAME[attempt._tag]).add()
  attemptSeconds(channel.kind.name).record(clockSeconds() - begunAt)
  if (attempt._tag === "Sent" && !event.redo)
    lagSeconds(channel.kind.name).record(((yield* Clock.currentTimeMillis) - event.createdAt) / 1000)
  // Whether Telegram fails is known from all its calls, which are not only deliveries.
  if (!channel.kind.paced) yield* noteReceiver(attempt, message)
  const skip =
    attempt._tag === "Unknown" &&
    (yield* channel.afterUnknown({ ...message, unknowns: message.unknowns + 1 }, { crashed: false })) === "skip"
  const waits = attempt._tag === "Sent" ? [] : yield* channel.retry(message)
  return {
    ...moveAfter(waits, event, attempt, earlier, skip, { random: yield* Random.next, now: startedAt }),
    reflectsHealth: attempt._tag !== "Later" && attempt._tag !== "Parked",
    statusCode: attempt.statusCode,
    errorCode: "errorCode" in attempt ? attempt.errorCode : null,
    answer: attempt.answer,
    request: attempt.request ?? null,
    startedAt: new Date(startedAt),
    latency: Duration.millis((yield* Clock.currentTimeMillis) - startedAt),
    throttle: attempt._tag === "NotSent" && attempt.throttle ? (attempt.retryAfter ?? waits[0] ?? null) : null
  }
})

/** A channel that is not paced sends at once, so the lane has recorded its intent together with the last result. */
const intentOf = (lanes: Lanes["Service"], channel: Channel, lease: LaneLease, { event, part }: Stop): Intent =>
  channel.kind.paced
    ? {
        record: lanes.intend(lease, event.cursor, part).pipe(
          Effect.mapError(() => new NotIntended()),
          Effect.flatMap((isOurs) => (isOurs ? Effect.void : Effect.fail(new NotIntended())))
        ),
        withdraw: Effect.ignore(lanes.withdraw(lease))
      }
    : INTENDED

/**
 * Handles the next stop of the lane: sends it once its slot has come, or skips it. Undefined: it must not be sent from
 * here, and the lane was released.
 */
const takeStop = Effect.fnUntraced(function* (lanes: Lanes["Service"], channel: Channel, lease: LaneLease, stop: Stop) {
  const { event } = stop
  const now = yield* Clock.currentTimeMillis
  if (event.expired) return unsent(now, "pass", { outcome: "expired", errorCode: "too_late" })
  if (stop.message === null) return unsent(now, "pass")
  const { message, interrupted, failures, early } = tryAt(lease, stop, stop.message.content)
  if (interrupted && (yield* channel.afterUnknown(message, { crashed: true })) === "skip") return unsent(now, "pass")
  const admission = "admit" in channel && channel.admit !== undefined ? yield* channel.admit(message) : "go"
  if (admission !== "go") return unsent(now, { retryAfter: admission.after, failures })
  return yield* deliver(channel, message, event, { failures, early }, intentOf(lanes, channel, lease, stop)).pipe(
    Effect.catchTag("NotIntended", () => Effect.as(lanes.release(lease), undefined))
  )
})

const open = (channel: Channel, lease: LaneLease, event: LaneEvent) =>
  event.expired ? Effect.succeed([]) : channel.open(deliveryOf(lease, event))

/** Delivers the events of a lease in order until the lane is released or lost. `onReady`: it has more to deliver. */
export const walkLane = Effect.fnUntraced(
  function* (lanes: Lanes["Service"], channel: Channel, lease: LaneLease, onReady: () => void) {
    for (const [index, event] of lease.events.entries()) {
      for (const stop of stopsOf(lease, event, index, yield* open(channel, lease, event))) {
        const result = yield* takeStop(lanes, channel, lease, stop)
        if (result === undefined) return
        const { part, last } = stop
        const next = nextEvent(lease, index, stop, result)
        const after = yield* lanes.settle({ lease, event, part, last, next, ...result })
        if (after === "ready") onReady()
        if (after !== "next") return
      }
    }
  },
  (effect, _lanes, _channel, { sessionId, channelId }) =>
    Effect.annotateLogs(effect, { session_id: sessionId, channel_id: channelId })
)
