import * as Cache from "effect/Cache"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { Endpoints, EndpointsUnavailable } from "#channels/Endpoints.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { CHANNEL_SECRET, PREVIOUS_CHANNEL_SECRET, type SealedColumn } from "#src/db/postgres/sealedColumns.ts"
import { Secrets } from "#src/db/postgres/Secrets.ts"
import { openUrl, type UrlRow } from "./webhookUrls.ts"

const CAPACITY = 1000
/** How long a decrypted secret stays cached without being used. */
const KEPT = Duration.minutes(10)

interface EndpointRow extends UrlRow {
  readonly version: number
  readonly secret: Uint8Array
  readonly previous_secret: Uint8Array | null
  readonly previous_secret_until: Date | null
  readonly config: unknown
}

interface Endpoint {
  readonly version: number
  readonly url: Redacted.Redacted<string>
  readonly secret: Redacted.Redacted<string>
  readonly config: unknown
  readonly previous: { readonly secret: Redacted.Redacted<string>; readonly untilMs: number } | null
}

/**
 * Webhook endpoints in PostgreSQL. The cache is keyed by the version of a channel, so it is never older than the
 * caller's version.
 */
export const layer = Layer.effect(
  Endpoints,
  Effect.gen(function* () {
    const { query } = yield* Database
    const secrets = yield* Secrets

    const read = Effect.fnUntraced(function* (appId: string, channelId: string) {
      const [row] = yield* query<Array<EndpointRow>>(
        (sql) => sql`
      select app_id, channel_id, version, url, target ->> 'url' as plain_url, secret, previous_secret,
        previous_secret_until, config from channels
      where app_id = ${appId} and channel_id = ${channelId} and secret is not null and status <> 'deleted'`
      )
      if (row === undefined) return undefined
      const { version, secret, previous_secret, previous_secret_until, config } = row
      const open = (column: SealedColumn, sealed: Uint8Array) => secrets.open(column, [appId, channelId], sealed)
      return {
        version,
        url: yield* openUrl(secrets, row),
        secret: yield* open(CHANNEL_SECRET, secret),
        config,
        previous:
          previous_secret === null || previous_secret_until === null
            ? null
            : {
                secret: yield* open(PREVIOUS_CHANNEL_SECRET, previous_secret),
                untilMs: previous_secret_until.getTime()
              }
      } satisfies Endpoint
    })

    const cache = yield* Cache.makeWith(
      (key: string) => {
        const [appId = "", channelId = ""] = key.split("\n")
        return read(appId, channelId)
      },
      {
        capacity: CAPACITY,
        // A version newer than requested is not cached, because the callers will soon request the newer version.
        timeToLive: (exit, key) =>
          Exit.isSuccess(exit) && exit.value !== undefined && key.endsWith(`\n${exit.value.version}`)
            ? KEPT
            : Duration.zero
      }
    )

    return Endpoints.of({
      get: Effect.fnUntraced(
        function* (appId, channelId, version) {
          const endpoint = yield* Cache.get(cache, `${appId}\n${channelId}\n${version}`)
          if (endpoint === undefined) return undefined
          const { url, secret, previous, config } = endpoint
          const now = yield* Clock.currentTimeMillis
          const secrets = previous !== null && now < previous.untilMs ? [secret, previous.secret] : [secret]
          return { url, secrets, config }
        },
        Effect.mapError((cause) => new EndpointsUnavailable({ cause }))
      )
    })
  })
)
