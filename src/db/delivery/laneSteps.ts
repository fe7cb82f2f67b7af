import * as Duration from "effect/Duration"
import type { LaneStep } from "#channels/Lanes.ts"

export const milliseconds = (duration: Duration.Duration | null): number | null =>
  duration === null ? null : Math.round(Duration.toMillis(duration))

/** Steps as arrays, one per column, for `unnest` in a statement. */
export const toColumns = (batch: ReadonlyArray<LaneStep>) => ({
  app: batch.map(({ lease }) => lease.appId),
  session: batch.map(({ lease }) => lease.sessionId),
  channel: batch.map(({ lease }) => lease.channelId),
  version: batch.map(({ lease }) => lease.channelVersion),
  owner: batch.map(({ lease }) => lease.owner),
  fence: batch.map(({ lease }) => lease.fence),
  // The fence identifies the attempt: within one lease an event is tried once.
  cursor: batch.map(({ event }) => event.cursor),
  event: batch.map(({ event }) => event.id),
  part: batch.map(({ part }) => part),
  redo: batch.map(({ event }) => Number(event.redo)),
  last: batch.map(({ last }) => Number(last)),
  telling: batch.map(({ reflectsHealth }) => Number(reflectsHealth)),
  recovered: batch.map(({ lease, event, outcome }) =>
    Number(outcome === "sent" && lease.failures > 0 && event === lease.events[0])
  ),
  outcome: batch.map(({ outcome }) => outcome),
  statusCode: batch.map(({ statusCode }) => statusCode),
  errorCode: batch.map(({ errorCode }) => errorCode),
  answer: batch.map(({ answer }) => answer),
  request: batch.map(({ request }) => request),
  startedAt: batch.map(({ startedAt }) => startedAt.toISOString()),
  latencyMs: batch.map(({ latency }) => milliseconds(latency)),
  // After the last event of the lease, the scanned rest of the log has nothing for the channel.
  position: batch.map(({ lease, event, last, move }) =>
    move !== "pass" || event.redo || !last
      ? null
      : event.cursor === lease.events.at(-1)?.cursor
        ? lease.examined
        : event.cursor
  ),
  // Null: the position within the event is unchanged.
  past: batch.map(({ event, part, last, move }) => (move !== "pass" || event.redo ? null : last ? 0 : part + 1)),
  parked: batch.map(({ move }) => Number(move === "park")),
  failures: batch.map(({ move }) => (typeof move === "string" ? 0 : move.failures)),
  delayMs: batch.map(({ move }) => (typeof move === "string" ? null : milliseconds(move.retryAfter))),
  next: batch.map(({ next }) => next?.cursor ?? null)
})
