import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { groupCommit } from "#src/db/postgres/GroupCommit.ts"
import { type Lease, type LeaseRequest, type RatePolicy, WINDOW_SECONDS, writeLeases } from "./rateLeases.ts"

/** A new lease is requested when less than this is left: a part of the share of one second that a lease includes. */
const lowOf = (quota: number) => Math.floor(quota / WINDOW_SECONDS / 4)
/** How often an exhausted quota is checked again, because it may have been raised. */
const ASKED_AGAIN_MS = 1000
const MAX_BUCKETS = 10_000

/** A subject's state under a policy, as far as this process knows. */
export interface RateLimitState {
  /** Whether this request was within the quota. */
  readonly taken: boolean
  readonly policy: RatePolicy
  readonly quota: number
  /** What is left in this window, and in how many seconds it ends. */
  readonly remaining: number
  readonly seconds: number
}

type Waiting = (standing: Effect.Effect<RateLimitState, DatabaseError>) => void

/** What this process has leased. `left` is only valid until `endsAtMs`. */
interface Bucket {
  readonly subject: string
  readonly policy: RatePolicy
  quota: number
  left: number
  /** The part of the quota that was not leased, as of the last lease. */
  unleased: number
  window: number
  endsAtMs: number
  askedAtMs: number
  leasing: boolean
  readonly waiting: Set<Waiting>
}

/**
 * Limits per minute for an app or an account, over all processes: each leases a part of the quota and counts in memory.
 * The quota is never exceeded. What a process has leased and not used, up to the share of one second, is lost for that
 * window.
 */
export class RateLimits extends Context.Service<
  RateLimits,
  {
    /** The default quotas. */
    readonly quotas: Readonly<Record<RatePolicy, number>>
    /** Takes one from memory. Undefined if that needs a lease. */
    readonly takeAtOnce: (subject: string, policy: RatePolicy) => RateLimitState | undefined
    /** Takes one, with a new lease if this process has nothing left. */
    readonly take: (subject: string, policy: RatePolicy) => Effect.Effect<RateLimitState, DatabaseError>
    /** Deletes windows that ended long ago. */
    readonly expire: Effect.Effect<void, DatabaseError>
  }
>()("src/db/tenancy/RateLimits") {
  static readonly layer = (quotas: Readonly<Record<RatePolicy, number>>) =>
    Layer.effect(
      RateLimits,
      Effect.gen(function* () {
        const { pool, query } = yield* Database
        const clock = yield* Clock.Clock
        const fork = yield* FiberSet.makeRuntime()
        const buckets = new Map<string, Bucket>()
        const nowMs = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)

        const ask = groupCommit<LeaseRequest, Lease>({
          maxBatch: 64,
          inFlight: 2,
          run: async (batch) => {
            const rows = await writeLeases(pool, batch)
            return batch.map(
              ({ subject, policy }) => rows.find((row) => row.subject === subject && row.policy === policy) as Lease
            )
          }
        })

        const stateOf = ({ policy, quota, left, unleased, endsAtMs }: Bucket, taken: boolean): RateLimitState => ({
          taken,
          policy,
          quota,
          remaining: taken ? left + unleased : 0,
          seconds: Math.max(1, Math.ceil((endsAtMs - nowMs()) / 1000))
        })
        const handOut = (bucket: Bucket, taken: boolean) => {
          for (const waiting of bucket.waiting) {
            if (taken && bucket.left === 0) return
            if (taken) bucket.left--
            bucket.waiting.delete(waiting)
            waiting(Effect.succeed(stateOf(bucket, taken)))
          }
        }
        // The window starts at the time of the request for the lease, so it ends here rather too early than too late.
        const fill = (bucket: Bucket, { granted, quota, left, window, seconds }: Lease, askedAtMs: number) => {
          bucket.left = granted + (window === bucket.window ? bucket.left : 0)
          Object.assign(bucket, { quota, unleased: left, window, endsAtMs: askedAtMs + seconds * 1000, askedAtMs })
          handOut(bucket, true)
          if (left === 0) handOut(bucket, false)
        }
        const startLease = (bucket: Bucket) => {
          if (bucket.leasing) return
          bucket.leasing = true
          const askedAtMs = nowMs()
          fork(
            Effect.match(
              ask({
                subject: bucket.subject,
                policy: bucket.policy,
                quota: quotas[bucket.policy],
                want: bucket.waiting.size
              }),
              {
                onSuccess: (lease) => {
                  bucket.leasing = false
                  fill(bucket, lease, askedAtMs)
                  if (bucket.waiting.size > 0) startLease(bucket)
                },
                onFailure: (error) => {
                  bucket.leasing = false
                  for (const waiting of bucket.waiting) waiting(Effect.fail(error))
                  bucket.waiting.clear()
                }
              }
            )
          )
        }

        const open = (subject: string, policy: RatePolicy): Bucket => {
          const key = `${policy} ${subject}`
          const known = buckets.get(key)
          if (known !== undefined) return known
          if (buckets.size >= MAX_BUCKETS) {
            for (const [other, { endsAtMs, leasing }] of buckets)
              if (!leasing && endsAtMs <= nowMs()) buckets.delete(other)
          }
          const bucket: Bucket = {
            subject,
            policy,
            quota: quotas[policy],
            left: 0,
            unleased: 0,
            window: 0,
            endsAtMs: 0,
            askedAtMs: 0,
            leasing: false,
            waiting: new Set()
          }
          buckets.set(key, bucket)
          return bucket
        }

        const takeFrom = (bucket: Bucket): RateLimitState | undefined => {
          const now = nowMs()
          if (now >= bucket.endsAtMs) return undefined
          if (bucket.left > 0) {
            bucket.left--
            // Leases before the bucket is empty, so that nobody waits.
            if (bucket.unleased > 0 && bucket.left < lowOf(bucket.quota)) startLease(bucket)
            return stateOf(bucket, true)
          }
          return bucket.unleased > 0 || bucket.leasing || now >= bucket.askedAtMs + ASKED_AGAIN_MS
            ? undefined
            : stateOf(bucket, false)
        }
        const take = (subject: string, policy: RatePolicy) =>
          Effect.suspend(() => {
            const bucket = open(subject, policy)
            const atOnce = takeFrom(bucket)
            if (atOnce !== undefined) return Effect.succeed(atOnce)
            return Effect.callback<RateLimitState, DatabaseError>((resume) => {
              bucket.waiting.add(resume)
              startLease(bucket)
              return Effect.sync(() => {
                bucket.waiting.delete(resume)
              })
            })
          })

        return RateLimits.of({
          quotas,
          takeAtOnce: (subject, policy) => takeFrom(open(subject, policy)),
          take,
          expire: query((sql) => sql`delete from rate_windows where ends_at < now() - interval '1 hour'`).pipe(
            Effect.asVoid
          )
        })
      })
    )
}
