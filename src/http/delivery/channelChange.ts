import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Outbound } from "#channels/outbound/Outbound.ts"
import type { ChannelKind } from "#channels/ChannelKind.ts"
import type { ChannelChange } from "#src/db/delivery/channels/changeChannel.ts"
import type { ChannelCreate, ChannelPatch } from "./channelSchemas.ts"
import { readSecret } from "./channelSecret.ts"
import { channelUrlRejected } from "./deliveryErrors.ts"
import { changedConfig } from "./kindFields.ts"

/** A URL that events may be pushed to. */
export const checkUrl = (url: string) =>
  Outbound.use((outbound) => outbound.checkUrl(url)).pipe(
    Effect.catchTag("UrlRejected", (rejected) => Effect.fail(channelUrlRejected(rejected)))
  )

export const distinct = (events: ChannelCreate["events"]) =>
  events === undefined || events === null ? null : [...new Set(events)]

/** What a PATCH changes of a channel of a kind. */
export const changeOf = Effect.fnUntraced(function* (
  kinds: ReadonlyArray<ChannelKind>,
  kind: ChannelKind,
  body: ChannelPatch
) {
  const { url, events, secret, previous_secret_ttl_seconds } = body
  const change: ChannelChange = {
    ...(url !== undefined && { url: yield* checkUrl(url) }),
    ...(events !== undefined && { events: distinct(events) }),
    config: yield* changedConfig(kinds, kind, body),
    ...(secret !== undefined && {
      secret: {
        next: yield* readSecret(kind, secret),
        // Only signatures are made with two secrets.
        previousFor: Duration.seconds(kind.secret === "signs" ? previous_secret_ttl_seconds : 0)
      }
    })
  }
  return change
})
