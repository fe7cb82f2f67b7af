import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Api, ApiFailed } from "#src/commands/terminal/api.ts"
import { note } from "#src/commands/terminal/output.ts"

/** What commands show of an event, whatever its type. */
export interface LogEvent {
  readonly id: string
  readonly cursor: number
  readonly type: string
  readonly role: string
  readonly trace_id: string
  readonly created_at: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** An event, and the JSON of it. */
export interface Logged {
  readonly event: LogEvent
  readonly json: string
}

/**
 * The cursor, or the earliest cursor that can be read from if later events were already deleted. If the server is
 * unavailable, the cursor is kept and the caller waits.
 */
export const earliestAfter = (api: Api, sessionId: string, since: number): Effect.Effect<number, ApiFailed> =>
  api.get(`/v1/sessions/${encodeURIComponent(sessionId)}/events?since=${since}&limit=1`, Schema.Unknown).pipe(
    Effect.as(since),
    Effect.catchIf(
      (error) => error.earliest !== undefined || error.passing,
      ({ earliest = since }) => Effect.succeed(earliest)
    )
  )

/** A session's log after a cursor, without end. Says once that the connection was lost, until an event arrives. */
export const follow = (api: Api, sessionId: string, since: number): Stream.Stream<Logged, ApiFailed> => {
  let isLost = false
  return api
    .follow(sessionId, since, (error, cursor) => {
      if (!isLost) note(`${error.message}; retrying from cursor ${cursor}`)
      isLost = true
    })
    .pipe(
      Stream.map((event) => {
        isLost = false
        return { event, json: JSON.stringify(event) }
      })
    )
}
