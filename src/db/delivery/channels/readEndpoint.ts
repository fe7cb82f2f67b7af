import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"
import { CHANNEL_SECRET } from "#src/db/postgres/sealedColumns.ts"
import { Secrets } from "#src/db/postgres/Secrets.ts"
import { openUrl, type UrlRow } from "../webhookUrls.ts"
import type { ChannelScope } from "../Alignment.ts"

interface EndpointRow extends UrlRow {
  readonly secret: Uint8Array
}

/** The address of a channel and its current secret, decrypted. Undefined: there is no such channel. */
export const readEndpoint = Effect.fnUntraced(function* ({ appId }: ChannelScope, channelId: string) {
  const [{ query }, secrets] = [yield* Database, yield* Secrets]
  const [row] = yield* query<Array<EndpointRow>>(
    (sql) => sql`
      select app_id, channel_id, url, target ->> 'url' as plain_url, secret from channels
      where app_id = ${appId} and channel_id = ${channelId} and secret is not null and status <> 'deleted'`
  )
  if (row === undefined) return undefined
  return {
    url: yield* openUrl(secrets, row).pipe(Effect.orDie),
    secret: yield* secrets.open(CHANNEL_SECRET, [appId, channelId], row.secret).pipe(Effect.orDie)
  }
})
