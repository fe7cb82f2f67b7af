import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  type AfterStep,
  type LaneLease,
  type LaneRef,
  Lanes,
  type LaneStep,
  LanesUnavailable,
  type ClaimCapacity
} from "#channels/Lanes.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { groupCommit } from "#src/db/postgres/GroupCommit.ts"
import { retryLanesEarly } from "./retryLanesEarly.ts"
import { CHANNELS_PER_CLAIM, claimLanes, type LeaseRow, type LastClaimed } from "./claimLanes.ts"
import { sweepLanes } from "./laneRecovery.ts"
import { recordChannelHealth } from "./recordChannelHealth.ts"
import { settleLanes } from "./settleLanes.ts"
import { untilReachable } from "#src/db/postgres/retry.ts"
import { isStopped } from "./isSuspendedByOperator.ts"

const START: LastClaimed = { appId: "", channelId: "" }

/** What became of a step, and whether it is news about the health of its channel. */
interface Settled {
  readonly after: AfterStep
  readonly news: boolean
}
const LOST: Settled = { after: "lost", news: false }

/** After this time, early retries that wait for a locked lane no longer hold up those of other endpoints. */
const OVERTAKEN_AFTER_MS = 250

/** Rows are grouped by lane, with each lane's events in order. */
const toLeases = (rows: ReadonlyArray<LeaseRow>, owner: string): ReadonlyArray<LaneLease> => {
  const leases: Array<LaneLease & { readonly events: Array<LaneLease["events"][number]> }> = []
  for (const row of rows) {
    if (row.cursor === null) continue
    let lease = leases.at(-1)
    if (lease === undefined || lease.sessionId !== row.session_id || lease.channelId !== row.channel_id) {
      lease = {
        appId: row.app_id,
        sessionId: row.session_id,
        channelId: row.channel_id,
        kind: row.kind,
        endpoint: row.endpoint,
        channelVersion: row.version,
        owner,
        fence: row.fence,
        failures: row.failures,
        early: row.early_ms === null ? null : Duration.millis(row.early_ms),
        part: row.part,
        interrupted: row.interrupted === null ? null : { cursor: row.interrupted, part: row.interrupted_part },
        unknowns: row.unknowns,
        events: [],
        examined: row.examined
      }
      leases.push(lease)
    }
    lease.events.push({
      cursor: row.cursor,
      id: row.id,
      type: row.type,
      text: row.text,
      createdAt: row.created_at.getTime(),
      traceparent: row.traceparent,
      expired: row.expired,
      redo: row.redo,
      sent: row.sent ?? []
    })
  }
  return leases
}

/** The lanes in PostgreSQL. Concurrent settlements are batched. */
export const layer = Layer.effect(
  Lanes,
  Effect.gen(function* () {
    const { pool, query } = yield* Database
    const unavailable = Effect.mapError((cause: unknown) => new LanesUnavailable({ cause }))
    const scope = yield* Effect.scope
    let lastClaimed = START

    const claim = Effect.fnUntraced(function* (owner: string, room: ClaimCapacity) {
      const rows = yield* query<Array<LeaseRow>>((sql) => claimLanes(sql, owner, room, lastClaimed))
      const visit = rows[0]
      const leases = toLeases(rows, owner)
      const cut = visit !== undefined && visit.visited === CHANNELS_PER_CLAIM
      const roundOver = lastClaimed !== START && !cut
      lastClaimed = cut ? { appId: visit.last_app ?? "", channelId: visit.last_channel ?? "" } : START
      return { leases, more: cut || (roundOver && leases.length > 0) || visit?.picked === room.lanes }
    }, unavailable)

    const settleStep = groupCommit<LaneStep, Settled>({
      maxBatch: 64,
      inFlight: 2,
      run: async (batch) => {
        const rows = await settleLanes(pool, batch)
        const news = rows.filter((row) => row.news).map((row) => batch[row.n - 1]!)
        // If this write fails, a later step records the health.
        if (news.length > 0) await recordChannelHealth(pool, news).catch(() => {})
        const settled = new Map(rows.map((row) => [row.n, row]))
        return batch.map((_, index) => settled.get(index + 1) ?? LOST)
      }
    })
    const retryEarly = groupCommit<LaneLease, void>({
      maxBatch: 64,
      inFlight: 1,
      overtakenAfterMs: OVERTAKEN_AFTER_MS,
      run: async (reached) => {
        await retryLanesEarly(pool, reached)
        return reached.map(() => undefined)
      }
    })
    const settle = Effect.fnUntraced(function* (step: LaneStep) {
      const { after, news } = yield* untilReachable(settleStep(step))
      // The step does not wait for it, because it waits for lanes that others have locked. If it fails, the lanes are
      // hurried by a later success, or wait for their retry.
      if (news && step.outcome === "sent") {
        yield* untilReachable(retryEarly(step.lease)).pipe(Effect.ignore, Effect.forkIn(scope))
      }
      return after
    }, unavailable)

    const intend = (
      { appId, sessionId, channelId, channelVersion, owner, fence }: LaneLease,
      cursor: number,
      part: number
    ) =>
      query(
        (sql) => sql`
      update lanes l set sending = ${cursor},
        sending_part = ${part}, sending_fence = l.fence, sending_at = now() from channels c
      where l.app_id = ${appId} and l.session_id =
        ${sessionId} and l.channel_id = ${channelId} and l.owner = ${owner} and l.fence = ${fence}
        and c.app_id = l.app_id and c.channel_id = l.channel_id and c.status in ('active', 'failing')
          and c.version = ${channelVersion}
        and not (${isStopped(sql, sql`c.app_id`, sql`c.hold_kind`)})
      returning 1`
      ).pipe(
        Effect.map((rows) => rows.length > 0),
        unavailable
      )

    const withdraw = (lane: LaneRef) =>
      query(
        (sql) => sql`
      update lanes set sending = null, sending_fence = null
      where app_id = ${lane.appId} and session_id = ${lane.sessionId} and channel_id = ${lane.channelId}
        and owner = ${lane.owner} and fence = ${lane.fence} and sending_fence = fence`
      ).pipe(Effect.asVoid, unavailable)

    const heldBy = (owner: string) =>
      query<Array<{ app_id: string; session_id: string; channel_id: string; fence: number }>>(
        (sql) => sql`
      select app_id, session_id, channel_id, fence from lanes where owner = ${owner}`
      ).pipe(
        Effect.map((rows) =>
          rows.map((row): LaneRef => ({
            appId: row.app_id,
            sessionId: row.session_id,
            channelId: row.channel_id,
            owner,
            fence: row.fence
          }))
        ),
        unavailable
      )
    const release = (lane: LaneRef) =>
      query(
        (sql) => sql`
      update lanes set owner = null, sending = case when sending_fence < fence then sending end
      where app_id = ${lane.appId} and session_id =
        ${lane.sessionId} and channel_id = ${lane.channelId} and owner = ${lane.owner} and fence = ${lane.fence}`
      ).pipe(Effect.asVoid, unavailable)

    return Lanes.of({
      claim,
      settle,
      intend,
      withdraw,
      sweep: query(sweepLanes).pipe(Effect.asVoid, unavailable),
      heldBy,
      release
    })
  })
)
