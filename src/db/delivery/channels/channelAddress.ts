import * as Redacted from "effect/Redacted"
import { CHANNEL_URL } from "#src/db/postgres/sealedColumns.ts"
import { Secrets } from "#src/db/postgres/Secrets.ts"

/**
 * Paths of the same app to one host are one endpoint. Another app's are not: what it does to a host that both use must
 * not slow this one down.
 */
export const endpointOf = (appId: string, url: URL) => `${appId} ${url.origin}`

/** Only the row of this channel opens it. */
export const sealUrl = (appId: string, channelId: string, url: URL) =>
  Secrets.useSync((secrets) => secrets.seal(CHANNEL_URL, [appId, channelId], Redacted.make(url.href)))
