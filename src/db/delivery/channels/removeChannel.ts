import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"
import { inTransaction } from "#src/db/postgres/inTransaction.ts"
import { Alignment, type ChannelScope } from "../Alignment.ts"
import { lockChannel, lockScope } from "./channelLocks.ts"
import { getChannel } from "./readChannels.ts"

/** Returns the channel as it was. */
export const removeChannel = Effect.fnUntraced(function* (scope: ChannelScope, channelId: string) {
  const [{ query }, alignment] = [yield* Database, yield* Alignment]
  const { appId, sessionId } = scope
  if (sessionId === null) yield* lockScope(scope)
  yield* lockChannel(scope, channelId)
  const channel = yield* getChannel(scope, channelId)
  if (channel === undefined) return undefined
  if (sessionId === null) {
    yield* query(
      (sql) =>
        sql`update channels set status = 'deleted', aligned_to = ''
                where app_id = ${appId} and channel_id = ${channelId}`
    )
    yield* alignment.begin(scope, channelId)
  } else {
    yield* query(
      (sql) =>
        sql`delete from lanes where app_id = ${appId} and session_id = ${sessionId} and channel_id = ${channelId}`
    )
    yield* query((sql) => sql`delete from channels where app_id = ${appId} and channel_id = ${channelId}`)
  }
  return channel
}, inTransaction)
