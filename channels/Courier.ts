import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import { databaseDependency } from "#pipeline/telemetry/Dependency.ts"
import { ChannelKinds } from "./Channel.ts"
import { LogSignals } from "./event-log/LogSignals.ts"
import { leaseName, ActiveLanes } from "./ActiveLanes.ts"
import { type LaneLease, Lanes } from "./Lanes.ts"
import { repeatForever } from "./repeatForever.ts"
import { walkLane } from "./walkLane.ts"

/** How long running deliveries may take to end after a stop request. */
const DRAIN = "4 seconds"

/** Port: the name under which this process leases lanes. None while it may be considered dead. */
export class CourierName extends Context.Service<
  CourierName,
  { readonly current: Effect.Effect<Option.Option<string>> }
>()("channels/CourierName") {}

/**
 * Delivers the events of lanes: leases ready lanes, tries each event in order, and writes result and position together.
 * No other code moves a lane. Appends and jobs wake it, and so do the regular checks that its server does.
 */
export class Courier extends Context.Service<
  Courier,
  {
    /** There may be something to deliver. */
    readonly wake: Effect.Effect<void>
    /** Makes lanes ready whose delay has passed, and those of owners that are gone. Any process may do this for all. */
    readonly sweep: Effect.Effect<void>
    /** Releases lanes that are leased to this process according to the table, but that it does not know of. */
    readonly releaseStrays: Effect.Effect<void>
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

      const active = new ActiveLanes(kinds)

      const begin = (lease: LaneLease) => {
        const channel = kinds.get(lease.kind)
        active.enter(lease)
        return FiberSet.run(
          walks,
          (channel === undefined ? lanes.release(lease) : walkLane(lanes, channel, lease, wake)).pipe(
            Effect.catchCauseIf(
              (cause) => !Cause.hasInterruptsOnly(cause),
              (cause) => Effect.logWarning("lane delivery aborted", cause)
            ),
            Effect.ensuring(
              Effect.sync(() => {
                if (active.leave(lease)) wake()
              })
            )
          )
        )
      }

      // A claim is not interrupted halfway: a lane that is leased without our knowledge would stay leased until this
      // process ends.
      const lease = Effect.uninterruptible(
        Effect.gen(function* () {
          const owner = yield* name.current
          const room = active.capacity()
          if (Option.isNone(owner) || room.lanes === 0) return false
          const { leases, more } = yield* lanes.claim(owner.value, room)
          for (const lease of leases) yield* begin(lease)
          return more || active.freedSince(room, leases)
        })
      )
      const claimAll = Effect.gen(function* () {
        while (yield* lease);
      }).pipe(Effect.catchTag("LanesUnavailable", () => databaseDependency.failed("lane_claim")))

      // An unregistered lane may still be on its way here. It is released only if the next check also finds it.
      let suspects: ReadonlySet<string> = new Set()
      const releaseStrays = Effect.gen(function* () {
        const owner = yield* name.current
        const held = Option.isNone(owner) ? [] : yield* lanes.heldBy(owner.value)
        const strays = held.filter((lane) => !active.has(lane))
        for (const stray of strays.filter((lane) => suspects.has(leaseName(lane)))) yield* lanes.release(stray)
        suspects = new Set(strays.map(leaseName))
      })
      const unavailable = () => databaseDependency.failed("lane_sweep")

      // Finalizers run in reverse: claims stop, then running deliveries may end, and the rest is interrupted.
      yield* Effect.addFinalizer(() =>
        FiberSet.awaitEmpty(walks).pipe(Effect.timeoutOption(DRAIN), Effect.andThen(FiberSet.clear(walks)))
      )
      yield* Effect.acquireRelease(
        Effect.sync(() => signals.onPush(wake)),
        (stop) => Effect.sync(stop)
      )
      yield* repeatForever("0 millis", Effect.andThen(Queue.take(wakes), claimAll)).pipe(
        Effect.annotateLogs({ service: "Courier" }),
        Effect.forkScoped
      )

      return Courier.of({
        wake: Effect.sync(wake),
        sweep: lanes.sweep.pipe(
          Effect.andThen(Effect.sync(wake)),
          Effect.catchTag("LanesUnavailable", unavailable),
          Effect.asVoid
        ),
        releaseStrays: releaseStrays.pipe(Effect.catchTag("LanesUnavailable", unavailable))
      })
    })
  )
}
