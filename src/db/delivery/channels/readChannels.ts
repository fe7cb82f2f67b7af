import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { maskUrl } from "#channels/outbound/maskUrl.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { Secrets } from "#src/db/postgres/Secrets.ts"
import type { ChannelScope } from "../Alignment.ts"
import { openUrl, type UrlRow } from "../webhookUrls.ts"
import type { StoredChannel } from "./StoredChannel.ts"

type ChannelRow = Omit<StoredChannel, "url"> & UrlRow

export interface ChannelFilter {
  readonly after: string | null
  readonly limit: number
}

const masked = Effect.fnUntraced(function* ({ app_id, url, plain_url, ...channel }: ChannelRow) {
  const secrets = yield* Secrets
  const address = yield* openUrl(secrets, { app_id, channel_id: channel.channel_id, url, plain_url }).pipe(Effect.orDie)
  return { ...channel, url: maskUrl(new URL(Redacted.value(address))) } satisfies StoredChannel
})

export const selectChannels = (
  { appId, sessionId }: ChannelScope,
  { channelId, after, limit }: ChannelFilter & { readonly channelId: string | null }
) =>
  Database.use(({ query }) =>
    query<Array<ChannelRow>>(
      (sql) => sql`
        select c.app_id, c.channel_id, c.session_id, c.kind, c.url, c.target ->> 'url' as plain_url,
          array_to_json(c.events) as events, c.config, c.status, c.version, l.position, c.consecutive_failures,
            c.created_at
        from channels c left join lanes l on l.app_id = c.app_id and l.session_id = c.session_id
          and l.channel_id = c.channel_id
        where c.app_id = ${appId} and ${
          sessionId === null
            ? sql`c.covers =
          'app'`
            : sql`c.session_id = ${sessionId}`
        } and c.status <> 'deleted'
          and (${channelId}::text is null
            or c.channel_id = ${channelId}) and (${after}::text is null or c.channel_id > ${after})
        order by c.channel_id limit ${limit}`
    ).pipe(Effect.flatMap(Effect.forEach(masked)))
  )

export const getChannel = (scope: ChannelScope, channelId: string) =>
  selectChannels(scope, { channelId, after: null, limit: 1 }).pipe(Effect.map((rows) => rows[0]))
