import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Database } from "#src/db/postgres/Database.ts"
import { CHANNEL_URL } from "#src/db/postgres/sealedColumns.ts"
import { Secrets } from "#src/db/postgres/Secrets.ts"

export interface UrlRow {
  readonly app_id: string
  readonly channel_id: string
  /** Encrypted. */
  readonly url: Uint8Array | null
  /** Plain text, as earlier versions stored it. */
  readonly plain_url: string | null
}

/** The URL of a webhook. It is plain text in rows of an earlier version that is still running. */
export const openUrl = Effect.fnUntraced(function* (
  { open }: Secrets["Service"],
  { app_id, channel_id, url, plain_url }: UrlRow
) {
  return url === null ? Redacted.make(plain_url ?? "") : yield* open(CHANNEL_URL, [app_id, channel_id], url)
})

const BATCH = 100

/** Encrypts the URLs that earlier versions stored in plain text, before anything else uses them. */
export const sealWebhookUrls = Layer.effectDiscard(
  Effect.gen(function* () {
    const { query, transaction } = yield* Database
    const secrets = yield* Secrets
    const sealBatch = transaction(
      Effect.gen(function* () {
        const rows = yield* query<Array<{ app_id: string; channel_id: string; plain_url: string }>>(
          (sql) => sql`
      select app_id, channel_id, target ->> 'url' as plain_url from channels where kind = 'webhook' and url is null
        and target ? 'url'
      order by app_id, channel_id limit ${BATCH} for update`
        )
        for (const { app_id, channel_id, plain_url } of rows) {
          yield* query(
            (sql) => sql`
        update channels set url = ${secrets.seal(CHANNEL_URL, [app_id, channel_id], Redacted.make(plain_url))},
          target = '{}'
        where app_id = ${app_id} and channel_id = ${channel_id}`
          )
        }
        return rows.length
      })
    )
    while ((yield* sealBatch) === BATCH);
  })
)
