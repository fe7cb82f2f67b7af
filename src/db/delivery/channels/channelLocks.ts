import * as Effect from "effect/Effect"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { inTransaction } from "#src/db/postgres/inTransaction.ts"
import type { ChannelScope } from "../Alignment.ts"
import { getChannel } from "./readChannels.ts"
import type { StoredChannel } from "./StoredChannel.ts"

/**
 * Serializes creation, so that the channel limit is exact, and excludes new sessions, which need a lane for each
 * app-wide channel.
 */
export const lockScope = ({ appId, sessionId }: ChannelScope) =>
  Database.use(({ query }) =>
    query((sql) =>
      sessionId === null
        ? sql`select 1 from apps where app_id = ${appId} for no key update`
        : sql`select 1 from sessions where app_id = ${appId} and session_id = ${sessionId} for no key update`
    )
  )

export const lockChannel = ({ appId }: ChannelScope, channelId: string) =>
  Database.use(({ query }) =>
    query((sql) => sql`select 1 from channels where app_id = ${appId} and channel_id = ${channelId} for update`)
  )

/** Changes a channel under a lock on its row. */
export const changing = Effect.fnUntraced(function* <E, R>(
  scope: ChannelScope,
  channelId: string,
  change: (present: StoredChannel) => Effect.Effect<unknown, E | DatabaseError, R>
) {
  yield* lockChannel(scope, channelId)
  const present = yield* getChannel(scope, channelId)
  if (present === undefined) return undefined
  yield* change(present)
  return yield* getChannel(scope, channelId)
}, inTransaction)
