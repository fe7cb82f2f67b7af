import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"
import { Alignment, type ChannelScope } from "../Alignment.ts"
import { changing } from "./channelLocks.ts"

/**
 * Whoever delivers on the session's lane now can no longer write what comes of it. The lanes of an app-wide channel stop
 * at their next step.
 */
export const pauseChannel = (scope: ChannelScope, channelId: string) => {
  const { appId, sessionId } = scope
  return changing(
    scope,
    channelId,
    Effect.gen(function* () {
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
 * Starts the next generation: from `rewindTo`, or, where it is null, from where the lanes are or are still on
 * their way to.
 */
export const startChannel = (scope: ChannelScope, channelId: string, rewindTo: number | null) =>
  changing(
    scope,
    channelId,
    Effect.gen(function* () {
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
