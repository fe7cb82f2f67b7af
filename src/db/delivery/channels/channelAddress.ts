import * as Redacted from "effect/Redacted"
import { CHANNEL_URL } from "#src/db/postgres/sealedColumns.ts"
import { Secrets } from "#src/db/postgres/Secrets.ts"

/**
 * All URLs of the same app on one host are one endpoint. Other apps' are separate: an app's problems with a shared host
 * must not slow down another app.
 */
export const endpointOf = (appId: string, url: URL) => `${appId} ${url.origin}`

/** Bound to the row of this channel. */
export const sealUrl = (appId: string, channelId: string, url: URL) =>
  Secrets.useSync((secrets) => secrets.seal(CHANNEL_URL, [appId, channelId], Redacted.make(url.href)))
