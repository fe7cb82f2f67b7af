import type { ChannelKinds } from "./Channel.ts"
import type { LaneLease, LaneRef, ClaimCapacity } from "./Lanes.ts"

/**
 * Maximum number of concurrent lanes per process, per endpoint and per app: a slow receiver uses its own slots, not
 * those of others.
 */
const MAX_LANES = 256
const PER_ENDPOINT = 64
const PER_PACED = 20
const PER_APP = 128
/** Maximum number of lanes per claim. */
const LANES_PER_CLAIM = 64

/** Identifies one lease of a lane. */
export const leaseName = ({ sessionId, channelId, fence }: LaneRef) => `${sessionId} ${channelId} ${fence}`

const add = (count: Map<string, number>, key: string, change: 1 | -1) => {
  const now = (count.get(key) ?? 0) + change
  if (now === 0) count.delete(key)
  else count.set(key, now)
}

/** Whether any key that was at its limit then is below it now. */
const hasFreed = (then: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>, full: number) =>
  [...then].some(([key, count]) => count >= full && (now.get(key) ?? 0) < full)

/** The lanes that this process is delivering, counted by endpoint and by app. */
export class ActiveLanes {
  readonly #names = new Set<string>()
  readonly #ofEndpoint = new Map<string, number>()
  readonly #ofApp = new Map<string, number>()
  readonly #kinds: ChannelKinds["Service"]

  constructor(kinds: ChannelKinds["Service"]) {
    this.#kinds = kinds
  }

  has(lane: LaneRef): boolean {
    return this.#names.has(leaseName(lane))
  }

  enter(lease: LaneLease): void {
    this.#names.add(leaseName(lease))
    add(this.#ofEndpoint, lease.endpoint, 1)
    add(this.#ofApp, lease.appId, 1)
  }

  /** True: other lanes may have been skipped because this one had the slot. */
  leave(lease: LaneLease): boolean {
    const perEndpoint = this.#kinds.get(lease.kind)?.kind.paced === true ? PER_PACED : PER_ENDPOINT
    const wasFull =
      this.#names.size === MAX_LANES ||
      this.#ofEndpoint.get(lease.endpoint) === perEndpoint ||
      this.#ofApp.get(lease.appId) === PER_APP
    this.#names.delete(leaseName(lease))
    add(this.#ofEndpoint, lease.endpoint, -1)
    add(this.#ofApp, lease.appId, -1)
    return wasFull
  }

  /** The current limits for a claim. `lanes` is 0 if there is no slot left. */
  capacity(): ClaimCapacity {
    return {
      lanes: Math.max(0, Math.min(LANES_PER_CLAIM, MAX_LANES - this.#names.size)),
      endpoints: new Map(this.#ofEndpoint),
      apps: new Map(this.#ofApp),
      perEndpoint: PER_ENDPOINT,
      perPaced: PER_PACED,
      perApp: PER_APP
    }
  }

  /** Whether a slot has become free that the claim with this room and these leases considered taken. */
  freedSince({ endpoints, apps }: ClaimCapacity, leases: ReadonlyArray<LaneLease>): boolean {
    const ofEndpoint = new Map(endpoints)
    const ofApp = new Map(apps)
    for (const { endpoint, appId } of leases) {
      add(ofEndpoint, endpoint, 1)
      add(ofApp, appId, 1)
    }
    return (
      hasFreed(ofEndpoint, this.#ofEndpoint, PER_ENDPOINT) ||
      hasFreed(ofEndpoint, this.#ofEndpoint, PER_PACED) ||
      hasFreed(ofApp, this.#ofApp, PER_APP)
    )
  }
}
