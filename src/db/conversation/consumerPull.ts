import * as Effect from "effect/Effect"
import { newId } from "#pipeline/domain/Id.ts"
import type { FeedEvent, FeedRead } from "#channels/event-log/AppFeed.ts"
import type { FeedCursor, FeedPlace } from "#channels/event-log/FeedCursor.ts"
import { Database } from "#src/db/postgres/Database.ts"
import {
  acknowledge,
  advanceConsumer,
  type ConsumerRow,
  dropEmpty,
  findBusy,
  type Given,
  giveSessions,
  letWait,
  MAX_PULLED_BYTES,
  readWaiting,
  type WaitingRow
} from "./consumerStatements.ts"
import { STORED_HERE, toFeedChunk, trimmedIn } from "./feedChunk.ts"
import { type FeedRow, readFeeds } from "./feedStatements.ts"

/** Parts of the feed that one pull looks through, if their events wait for other processes or are filtered out. */
const MAX_READS = 5

/** An event with its place in the log of its session. */
interface Logged {
  readonly sessionId: string
  readonly cursor: number
  readonly json: string
}

const toLogged = ({ place: { sessionId, cursor }, json }: FeedEvent): Logged => ({ sessionId, cursor, json })

/** In the order in which an erasure deletes leases, too, so that neither waits for the other. */
const inLockOrder = (sessions: ReadonlyArray<Given>) =>
  sessions.toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : a.sessionId > b.sessionId ? 1 : 0))

/** Events of sessions that wait, and how far each session is given with them. */
const takeWaiting = Effect.fnUntraced(function* (appId: string, consumer: ConsumerRow, limit: number) {
  const { query } = yield* Database
  const rows = yield* query<Array<WaitingRow>>((sql) => readWaiting(sql, appId, consumer, limit))
  if (rows.length === 0) yield* query((sql) => dropEmpty(sql, appId, consumer.name))
  const given = [...Map.groupBy(rows, (row) => row.session_id)].map(([sessionId, all]): Given => ({
    sessionId,
    acked: (all[0]?.cursor ?? 1) - 1,
    given: all.at(-1)?.cursor ?? 0,
    last: all[0]?.last_cursor ?? 0
  }))
  const events = rows.flatMap(({ session_id: sessionId, cursor, shown: json }): ReadonlyArray<Logged> =>
    json === null ? [] : [{ sessionId, cursor, json }]
  )
  return { events, given }
})

/**
 * The next events for a process, under a new token, in the transaction that has locked the consumer: first those that
 * wait, then new ones of sessions that no process has. New events of other sessions are left to wait.
 */
export const pullEvents = Effect.fnUntraced(function* (appId: string, consumer: ConsumerRow, limit: number) {
  const { query } = yield* Database
  const { name } = consumer
  const token = newId("lea")
  const { events, given } = yield* takeWaiting(appId, consumer, limit)
  if (given.length > 0) yield* query((sql) => giveSessions(sql, appId, consumer, token, inLockOrder(given)))

  let place: FeedPlace = {
    position: consumer.feed_position,
    sessionId: consumer.feed_session,
    cursor: consumer.feed_cursor
  }
  let trimmed = consumer.trimmed
  let expired = false
  const filter = { types: consumer.types, characterSlug: consumer.character, sessionId: null }
  const isFull = () =>
    events.length >= limit || events.reduce((sum, { json }) => sum + json.length, 0) >= MAX_PULLED_BYTES
  for (let reads = 0; reads < MAX_READS && !isFull(); reads++) {
    const since: FeedCursor = { ...place, trimmed, epoch: STORED_HERE, timeline: "" }
    const read: FeedRead = { appId, since, filter, limit: limit - events.length }
    const rows = yield* query<Array<FeedRow>>((sql) => readFeeds(sql, [{ ...read, framed: false }]))
    const chunk = toFeedChunk(read, rows)
    if (chunk._tag === "Lost") {
      expired = true
      trimmed = trimmedIn(rows)
      continue
    }
    const sessions = Map.groupBy(chunk.events.map(toLogged), ({ sessionId }) => sessionId)
    const busy = new Set(
      (yield* query<Array<{ session_id: string }>>((sql) => findBusy(sql, appId, name, [...sessions.keys()]))).map(
        (found) => found.session_id
      )
    )
    const ranges = inLockOrder(
      [...sessions].map(([sessionId, all]): Given => {
        const last = all.at(-1)?.cursor ?? 0
        return { sessionId, acked: (all[0]?.cursor ?? 1) - 1, given: last, last }
      })
    )
    const free = ranges.filter(({ sessionId }) => !busy.has(sessionId))
    const held = ranges.filter(({ sessionId }) => busy.has(sessionId))
    if (held.length > 0) yield* query((sql) => letWait(sql, appId, name, held))
    if (free.length > 0) yield* query((sql) => giveSessions(sql, appId, consumer, token, free))
    events.push(...free.flatMap(({ sessionId }) => sessions.get(sessionId) ?? []))
    place = chunk.next
    trimmed = chunk.next.trimmed
    if (!chunk.hasMore) break
  }
  yield* query((sql) => advanceConsumer(sql, appId, name, { ...place, trimmed }))
  // What waited is left out by the filter, which was changed.
  if (events.length === 0 && given.length > 0) yield* query((sql) => acknowledge(sql, appId, name, token))
  return { events: events.map(({ json }) => json), token: events.length === 0 ? null : token, expired }
})
