import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"
import { inTransaction } from "#src/db/postgres/inTransaction.ts"
import { Alignment } from "../Alignment.ts"
import { lockScope } from "./channelLocks.ts"

const MAX_PER_RUN = 1000

interface Expired {
  readonly app_id: string
  readonly channel_id: string
}

/** Checks again under the locks: the app may have given it more time. */
const remove = Effect.fnUntraced(function* ({ app_id, channel_id }: Expired, now: string) {
  const [{ query }, alignment] = [yield* Database, yield* Alignment]
  const scope = { appId: app_id, sessionId: null }
  yield* lockScope(scope)
  const removed = yield* query(
    (sql) => sql`
      update channels set status = 'deleted', aligned_to = ''
      where app_id = ${app_id} and channel_id = ${channel_id} and status <> 'deleted'
        and (config ->> 'expires_at') collate "C" <= ${now}
      returning channel_id`
  )
  if (removed.length > 0) yield* alignment.begin(scope, channel_id)
}, inTransaction)

/** Deletes the app-wide channels whose time is over. `expires_at` has one form, which sorts as text. */
export const expireChannels = Effect.gen(function* () {
  const { query } = yield* Database
  const now = new Date(yield* Clock.currentTimeMillis).toISOString()
  const expired = yield* query<Array<Expired>>(
    (sql) => sql`
      select app_id, channel_id from channels
      where covers = 'app' and status <> 'deleted' and (config ->> 'expires_at') collate "C" <= ${now}
      limit ${MAX_PER_RUN}`
  )
  yield* Effect.forEach(expired, (channel) => remove(channel, now), { discard: true })
})
