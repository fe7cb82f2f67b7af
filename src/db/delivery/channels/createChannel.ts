import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { ChannelKind } from "#channels/ChannelKind.ts"
import { newId } from "#pipeline/domain/Id.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { inTransaction } from "#src/db/postgres/inTransaction.ts"
import { CHANNEL_SECRET } from "#src/db/postgres/sealedColumns.ts"
import { Secrets } from "#src/db/postgres/Secrets.ts"
import { Alignment, type ChannelScope } from "../Alignment.ts"
import { endpointOf, sealUrl } from "./channelAddress.ts"
import { lockScope } from "./channelLocks.ts"
import { getChannel, selectChannels } from "./readChannels.ts"

/** Limit for the channels of one session, and for the app-wide channels of one app. */
export const MAX_CHANNELS = 5

export interface NewChannel {
  readonly kind: ChannelKind
  readonly url: URL
  readonly secret: Redacted.Redacted<string>
  readonly events: ReadonlyArray<string> | null
  readonly config: object
  /** Also deliver events that are already on the log. */
  readonly fromStart: boolean
}

/** The channel limit is reached. */
export class ChannelLimitReached extends Schema.TaggedError<ChannelLimitReached>()("ChannelLimitReached", {}) {}

export const createChannel = Effect.fnUntraced(function* (
  scope: ChannelScope,
  { kind, url, secret, events, config, fromStart }: NewChannel
) {
  const [{ query }, alignment, secrets] = [yield* Database, yield* Alignment, yield* Secrets]
  yield* lockScope(scope)
  if ((yield* selectChannels(scope, { channelId: null, after: null, limit: MAX_CHANNELS })).length === MAX_CHANNELS)
    return yield* new ChannelLimitReached()
  const { appId, sessionId } = scope
  const channelId = newId("chn")
  const sealedUrl = yield* sealUrl(appId, channelId, url)
  yield* query(
    (sql) => sql`
        insert into channels (app_id, channel_id, covers, session_id, kind, paced, hold_kind, endpoint, target, url,
          secret, events,
          config, rewind_to, aligned_to)
        values (${appId}, ${channelId},
          ${sessionId === null ? "app" : "session"},
            ${sessionId}, ${kind.name}, ${kind.paced}, ${kind.holdKind}, ${endpointOf(appId, url)}, '{}', ${sealedUrl},
          ${secrets.seal(CHANNEL_SECRET, [appId, channelId], secret)}, ${events}::text[],
          jsonb_strip_nulls(${JSON.stringify(config)}::text::jsonb), ${fromStart ? 0 : null}, '')`
  )
  yield* alignment.begin(scope, channelId)
  return (yield* getChannel(scope, channelId)) ?? (yield* Effect.die(new Error("a channel just written is gone")))
}, inTransaction)
