import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Random from "effect/Random"
import { Attempt, type Channel, ChannelKinds, type Delivery, OUTCOME_NAME } from "./Channel.ts"
import { LogSignals } from "./event-log/LogSignals.ts"
import { type LaneEvent, type LaneLease, type LaneRef, Lanes, type LaneStep } from "./Lanes.ts"
import { rounds } from "./rounds.ts"
import { nextDelay } from "./retryAfter.ts"

/**
 * Lanes walked at once by one process, of one endpoint and of one app: a slow receiver takes its own places, not those
 * of others.
 */
const MAX_LANES = 256
const PER_ENDPOINT = 64
const PER_PACED = 20
const PER_APP = 128
/** Lanes of one claim. */
const LANES_A_CLAIM = 64
/** How long deliveries under way may take to end once we are asked to stop. */
const DRAIN = "4 seconds"

/** Port: under which name this process leases lanes; none while it may be taken for dead. */
export class CourierName extends Context.Service<
  CourierName,
  { readonly current: Effect.Effect<Option.Option<string>> }
>()("channels/CourierName") {}

const nameOf = ({ sessionId, channelId, fence }: LaneRef) => `${sessionId} ${channelId} ${fence}`

const died = Attempt.cases.Unknown.make({ statusCode: null, answer: null, errorCode: "defect" })

const add = (count: Map<string, number>, key: string, change: 1 | -1) => {
  const now = (count.get(key) ?? 0) + change
  if (now === 0) count.delete(key)
  else count.set(key, now)
}

/** Whether anything that was full then is not full now. */
const freed = (then: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>, full: number) =>
  [...then].some(([key, count]) => count >= full && (now.get(key) ?? 0) < full)

/**
 * One part of an event on a lane's way. `first`: what the lease's failures and unknowns were counted for. `nothing`:
 * the channel shows nothing of the event.
 */
interface Stop {
  readonly event: LaneEvent
  readonly part: number
  readonly last: boolean
  readonly first: boolean
  readonly nothing: boolean
}

type Result = Omit<LaneStep, "lease" | "event" | "part" | "last" | "next">

const deliveryOf = (lease: LaneLease, event: LaneEvent, part: number, unknowns: number): Delivery => ({
  appId: lease.appId,
  sessionId: lease.sessionId,
  channelId: lease.channelId,
  channelVersion: lease.channelVersion,
  cursor: event.cursor,
  eventId: event.id,
  type: event.type,
  event: event.text,
  part,
  unknowns
})

/**
 * Where a lane goes after a try. `failures` counts earlier failed tries; `early`: this try came before its time, with
 * so much of the wait left. `skip`: one of unknown fate is passed over.
 */
const judge = (
  channel: Channel,
  event: LaneEvent,
  attempt: Attempt,
  { failures, early }: Pick<LaneLease, "failures" | "early">,
  skip: boolean,
  random: number
): Pick<LaneStep, "outcome" | "onward"> => {
  const outcome = OUTCOME_NAME[attempt._tag]
  const step = channel.schedule[failures]
  if (attempt._tag === "Later") return { outcome, onward: { retryAfter: attempt.after, failures } }
  if (attempt._tag === "Sent" || attempt._tag === "Rejected" || skip) return { outcome, onward: "pass" }
  // Asked for once more means tried once more.
  if (event.redo) return { outcome, onward: "pass" }
  if (attempt._tag === "Held") return { outcome, onward: "park" }
  // The channel ends here. The event stays where it is, for the day the channel is resumed.
  if (attempt._tag === "Gone")
    return { outcome, onward: { retryAfter: channel.schedule[0] ?? Duration.minutes(1), failures } }
  if (early !== null) return { outcome, onward: { retryAfter: early, failures } }
  if (step === undefined) return { outcome: "expired", onward: "pass" }
  return {
    outcome,
    onward: {
      retryAfter: nextDelay(step, attempt._tag === "NotSent" ? attempt.retryAfter : null, random),
      failures: failures + 1
    }
  }
}

/**
 * Walks lanes along their logs: leases what is ready, tries each event in order, and writes outcome and position
 * together. The only code that moves a lane. It is woken by appends and jobs, and looks by itself every second.
 */
export class Courier extends Context.Service<
  Courier,
  {
    /** There may be something to deliver. */
    readonly wake: Effect.Effect<void>
  }
>()("channels/Courier") {
  static readonly layer = Layer.effect(
    Courier,
    Effect.gen(function* () {
      const lanes = yield* Lanes
      const kinds = yield* ChannelKinds
      const name = yield* CourierName
      const signals = yield* LogSignals
      const walks = yield* FiberSet.make()
      const wakes = yield* Queue.sliding<void>(1)
      const wake = () => Queue.offerUnsafe(wakes, undefined)

      const walking = new Set<string>()
      const ofEndpoint = new Map<string, number>()
      const ofApp = new Map<string, number>()
      const placesOf = ({ kind }: LaneLease) => (kinds.get(kind)?.admit === undefined ? PER_ENDPOINT : PER_PACED)
      const enter = (lease: LaneLease) => {
        walking.add(nameOf(lease))
        add(ofEndpoint, lease.endpoint, 1)
        add(ofApp, lease.appId, 1)
      }
      const leave = (lease: LaneLease) => {
        // Others may have been passed over for want of the place that this lane took.
        if (
          walking.size === MAX_LANES ||
          ofEndpoint.get(lease.endpoint) === placesOf(lease) ||
          ofApp.get(lease.appId) === PER_APP
        )
          wake()
        walking.delete(nameOf(lease))
        add(ofEndpoint, lease.endpoint, -1)
        add(ofApp, lease.appId, -1)
      }

      const tryOne = Effect.fnUntraced(function* (
        channel: Channel,
        delivery: Delivery,
        event: LaneEvent,
        earlier: Pick<LaneLease, "failures" | "early">
      ) {
        const startedAt = yield* Clock.currentTimeMillis
        const attempt = yield* channel.deliver(delivery).pipe(
          Effect.catchCauseIf(
            (cause) => !Cause.hasInterruptsOnly(cause),
            (cause) => Effect.as(Effect.logError("delivery failed", cause), died)
          )
        )
        const skip =
          attempt._tag === "Unknown" &&
          (yield* channel.afterUnknown({ ...delivery, unknowns: delivery.unknowns + 1 })) === "skip"
        return {
          ...judge(channel, event, attempt, earlier, skip, yield* Random.next),
          telling: attempt._tag !== "Later" && attempt._tag !== "Held",
          statusCode: attempt.statusCode,
          errorCode: "errorCode" in attempt ? attempt.errorCode : null,
          answer: attempt.answer,
          startedAt: new Date(startedAt),
          latency: Duration.millis((yield* Clock.currentTimeMillis) - startedAt),
          throttle:
            attempt._tag === "NotSent" && attempt.throttle ? (attempt.retryAfter ?? channel.schedule[0] ?? null) : null
        } satisfies Result
      })

      /**
       * What comes next on the lane: sent, once its turn has come, or passed over. Undefined: the lane is not ours any
       * more.
       */
      const takeStep = Effect.fnUntraced(function* (
        channel: Channel,
        lease: LaneLease,
        { event, part, first, nothing }: Stop
      ) {
        const quiet = {
          telling: false,
          statusCode: null,
          errorCode: null,
          answer: null,
          startedAt: new Date(yield* Clock.currentTimeMillis),
          latency: null,
          throttle: null
        }
        if (event.expired)
          return { ...quiet, outcome: "expired", onward: "pass", errorCode: "too_late" } satisfies Result
        if (nothing) return { ...quiet, outcome: null, onward: "pass" } satisfies Result
        const failures = first ? lease.failures : 0
        const interrupted = lease.interrupted?.cursor === event.cursor && lease.interrupted.part === part
        const delivery = deliveryOf(
          lease,
          event,
          part,
          interrupted || (first && lease.interrupted === null) ? lease.unknowns : 0
        )
        if (interrupted && (yield* channel.afterUnknown(delivery)) === "skip")
          return { ...quiet, outcome: null, onward: "pass" } satisfies Result
        if (channel.admit !== undefined) {
          const admission = yield* channel.admit(delivery)
          if (admission !== "go")
            return { ...quiet, outcome: null, onward: { retryAfter: admission.after, failures } } satisfies Result
          if (!(yield* lanes.intend(lease, event.cursor, part))) {
            yield* lanes.release(lease)
            return undefined
          }
        }
        return yield* tryOne(channel, delivery, event, { failures, early: first && !event.redo ? lease.early : null })
      })

      const stopsOf = Effect.fnUntraced(function* (
        channel: Channel,
        lease: LaneLease,
        event: LaneEvent,
        place: number
      ) {
        const parts =
          event.expired || channel.open === undefined ? 1 : yield* channel.open(deliveryOf(lease, event, 0, 0))
        const all = Array.from({ length: parts }, (_, part) => part).slice(place === 0 ? lease.part : 0)
        const left = all.filter((part) => !event.sent.includes(part))
        const wanted = left.length === 0 ? all : left
        if (wanted.length === 0) return [{ event, part: 0, last: true, first: false, nothing: true }]
        return wanted.map((part, index): Stop => ({
          event,
          part,
          last: index === wanted.length - 1,
          first: index === 0 && (place === 0 || event.redo),
          nothing: false
        }))
      })

      const walk = Effect.fnUntraced(
        function* (channel: Channel, lease: LaneLease) {
          for (const [place, event] of lease.events.entries()) {
            for (const stop of yield* stopsOf(channel, lease, event, place)) {
              const result = yield* takeStep(channel, lease, stop)
              if (result === undefined) return
              const { part, last } = stop
              const next = result.onward === "pass" ? (last ? (lease.events[place + 1] ?? null) : event) : null
              const after = yield* lanes.settle({ lease, event, part, last, next, ...result })
              if (after === "ready") wake()
              if (after !== "next") return
            }
          }
        },
        (effect, _, { sessionId, channelId }) =>
          Effect.annotateLogs(effect, { session_id: sessionId, channel_id: channelId })
      )

      const begin = (lease: LaneLease) => {
        const channel = kinds.get(lease.kind)
        enter(lease)
        return FiberSet.run(
          walks,
          (channel === undefined ? lanes.release(lease) : walk(channel, lease)).pipe(
            Effect.catchCauseIf(
              (cause) => !Cause.hasInterruptsOnly(cause),
              (cause) => Effect.logWarning("lane was left", cause)
            ),
            Effect.ensuring(Effect.sync(() => leave(lease)))
          )
        )
      }

      // A claim is not interrupted on its way: a lane that is ours and that we do not know of would wait for our death.
      const lease = Effect.uninterruptible(
        Effect.gen(function* () {
          const owner = yield* name.current
          const room = Math.min(LANES_A_CLAIM, MAX_LANES - walking.size)
          if (Option.isNone(owner) || room <= 0) return false
          const taken = { endpoints: new Map(ofEndpoint), apps: new Map(ofApp) }
          const { leases, more } = yield* lanes.claim(owner.value, {
            lanes: room,
            ...taken,
            perEndpoint: PER_ENDPOINT,
            perPaced: PER_PACED,
            perApp: PER_APP
          })
          for (const lease of leases) {
            add(taken.endpoints, lease.endpoint, 1)
            add(taken.apps, lease.appId, 1)
            yield* begin(lease)
          }
          // A place that came free while the claim took it for taken woke nobody.
          return (
            more ||
            freed(taken.endpoints, ofEndpoint, PER_ENDPOINT) ||
            freed(taken.endpoints, ofEndpoint, PER_PACED) ||
            freed(taken.apps, ofApp, PER_APP)
          )
        })
      )
      const claimAll = Effect.gen(function* () {
        while (yield* lease);
      }).pipe(
        Effect.catchTag("LanesUnavailable", (error) =>
          Effect.logWarning("courier could not claim", { reason: String(error.cause) })
        )
      )

      // One that is only on its way here is known by the next look.
      let suspects: ReadonlySet<string> = new Set()
      const releaseStrays = Effect.gen(function* () {
        const owner = yield* name.current
        const held = Option.isNone(owner) ? [] : yield* lanes.heldBy(owner.value)
        const strays = held.filter((lane) => !walking.has(nameOf(lane)))
        for (const stray of strays.filter((lane) => suspects.has(nameOf(lane)))) yield* lanes.release(stray)
        suspects = new Set(strays.map(nameOf))
      })
      const look = releaseStrays.pipe(
        Effect.andThen(lanes.sweep),
        Effect.catchTag("LanesUnavailable", (error) =>
          Effect.logWarning("courier could not look", { reason: String(error.cause) })
        ),
        Effect.andThen(Effect.sync(wake))
      )

      // Stopped in reverse: nothing more is claimed, then what is under way may end, and the rest is interrupted.
      yield* Effect.addFinalizer(() =>
        FiberSet.awaitEmpty(walks).pipe(Effect.timeoutOption(DRAIN), Effect.andThen(FiberSet.clear(walks)))
      )
      yield* Effect.acquireRelease(
        Effect.sync(() => signals.onPush(wake)),
        (stop) => Effect.sync(stop)
      )
      yield* rounds("0 millis", Effect.andThen(Queue.take(wakes), claimAll)).pipe(
        Effect.annotateLogs({ service: "Courier" }),
        Effect.forkScoped
      )
      yield* rounds("1 second", look).pipe(Effect.annotateLogs({ service: "Courier" }), Effect.forkScoped)

      return Courier.of({ wake: Effect.sync(wake) })
    })
  )
}
