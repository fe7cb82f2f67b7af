import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Database } from "#src/db/postgres/Database.ts"
import { CHANNEL_SECRET, PREVIOUS_CHANNEL_SECRET } from "#src/db/postgres/sealedColumns.ts"
import { Secrets } from "#src/db/postgres/Secrets.ts"
import type { ChannelScope } from "../Alignment.ts"
import { endpointOf, sealUrl } from "./channelAddress.ts"
import { changing } from "./channelLocks.ts"
import type { StoredChannel } from "./StoredChannel.ts"

/** Something else has changed the channel since it was read. */
export class ChannelChanged extends Schema.TaggedError<ChannelChanged>()("ChannelChanged", {}) {}

export interface ChannelChange {
  readonly url?: URL
  readonly events?: ReadonlyArray<string> | null
  /** The fields of the configuration that change; null: the default again. */
  readonly config?: object
  /** Replaces the current secret, which keeps signing for a while. */
  readonly secret?: { readonly next: Redacted.Redacted<string>; readonly previousFor: Duration.Duration }
}

const rotate = Effect.fnUntraced(function* (
  appId: string,
  channelId: string,
  { next, previousFor }: NonNullable<ChannelChange["secret"]>
) {
  const [{ query }, secrets] = [yield* Database, yield* Secrets]
  const row = [appId, channelId]
  const seconds = Duration.toSeconds(previousFor)
  const [present] = yield* query<Array<{ secret: Uint8Array }>>(
    (sql) => sql`
      select secret from channels where app_id = ${appId} and channel_id = ${channelId} and secret is not null`
  )
  // An encrypted secret can only be decrypted for its own column, so it is encrypted again.
  const previous =
    present === undefined || seconds === 0
      ? null
      : secrets.seal(
          PREVIOUS_CHANNEL_SECRET,
          row,
          yield* secrets.open(CHANNEL_SECRET, row, present.secret).pipe(Effect.orDie)
        )
  yield* query(
    (sql) => sql`
        update channels set secret = ${secrets.seal(CHANNEL_SECRET, row, next)}, previous_secret = ${previous},
          previous_secret_until = ${previous === null ? null : seconds}::float8 * interval '1 second' + now()
        where app_id = ${appId} and channel_id = ${channelId}`
  )
})

export const changeChannel = (
  scope: ChannelScope,
  { channel_id: channelId, version }: Pick<StoredChannel, "channel_id" | "version">,
  { url, events, config, secret }: ChannelChange
) => {
  const { appId } = scope
  return changing(
    scope,
    channelId,
    Effect.fnUntraced(function* (present) {
      if (present.version !== version) return yield* new ChannelChanged()
      const { query } = yield* Database
      if (secret !== undefined) yield* rotate(appId, channelId, secret)
      if (url !== undefined) {
        const sealedUrl = yield* sealUrl(appId, channelId, url)
        // The delay that the old endpoint requested does not apply to the new one.
        yield* query(
          (sql) => sql`
            update channels set target = '{}',
              url = ${sealedUrl}, endpoint = ${endpointOf(appId, url)}, not_before = null
            where app_id = ${appId} and channel_id = ${channelId}`
        )
      }
      if (events !== undefined)
        yield* query(
          (sql) =>
            sql`update channels set events =
                    ${events}::text[] where app_id = ${appId} and channel_id = ${channelId}`
        )
      if (config !== undefined)
        yield* query(
          (sql) => sql`
            update channels set config = jsonb_strip_nulls(config || ${JSON.stringify(config)}::text::jsonb)
            where app_id = ${appId} and channel_id = ${channelId}`
        )
      yield* query(
        (sql) => sql`update channels set version = version + 1 where app_id = ${appId} and channel_id = ${channelId}`
      )
    })
  )
}
