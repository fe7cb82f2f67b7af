import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"
import { Alignment, type ChannelScope } from "../Alignment.ts"
import { changing } from "./channelLocks.ts"

/**
 * The current courier of the session's lane can no longer write a result. The lanes of an app-wide channel stop at
 * their next step.
 */
export const pauseChannel = (scope: ChannelScope, channelId: string) => {
  const { appId, sessionId } = scope
  return changing(
    scope,
    channelId,
    Effect.fnUntraced(function* () {
      const { query } = yield* Database
      yield* query(
        (sql) => sql`update channels set status = 'paused' where app_id = ${appId} and channel_id = ${channelId}`
      )
      if (sessionId === null) return
      yield* query(
        (sql) => sql`
          update lanes set fence = fence + 1, owner = null
            where app_id = ${appId} and session_id = ${sessionId} and channel_id = ${channelId}`
      )
    })
  )
}

/**
 * Starts the next generation from `rewindTo`. Null: from the current positions of the lanes, or those that an ongoing
 * alignment gives them.
 */
export const startChannel = (scope: ChannelScope, channelId: string, rewindTo: number | null) =>
  changing(
    scope,
    channelId,
    Effect.fnUntraced(function* () {
      const [{ query }, alignment] = [yield* Database, yield* Alignment]
      yield* query(
        (sql) => sql`
          update channels set status = 'active', generation = generation + 1, failing_since = null,
            consecutive_failures = 0, not_before = null,
            rewind_to = coalesce(${rewindTo}::bigint, case when aligned_to is not null then rewind_to end),
              aligned_to = ''
          where app_id = ${scope.appId} and channel_id = ${channelId}`
      )
      yield* alignment.begin(scope, channelId)
    })
  )
