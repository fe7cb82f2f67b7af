import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Outbound } from "#channels/outbound/Outbound.ts"
import { newSecret } from "#channels/webhook/newSecret.ts"
import type { ChannelChange } from "#src/db/delivery/channels/changeChannel.ts"
import type { ChannelCreate, ChannelPatch } from "./channelSchemas.ts"
import { channelUrlRejected } from "./deliveryErrors.ts"

/** A URL that events may be pushed to. */
export const checkUrl = (url: string) =>
  Outbound.use((outbound) => outbound.checkUrl(url)).pipe(
    Effect.catchTag("UrlRejected", (rejected) => Effect.fail(channelUrlRejected(rejected)))
  )

export const distinct = (events: ChannelCreate["events"]) =>
  events === undefined || events === null ? null : [...new Set(events)]

/** The changes that a PATCH makes to a channel. */
export const changeOf = Effect.fnUntraced(function* ({
  url,
  events,
  secret,
  previous_secret_ttl_seconds
}: ChannelPatch) {
  const change: ChannelChange = {
    ...(url !== undefined && { url: yield* checkUrl(url) }),
    ...(events !== undefined && { events: distinct(events) }),
    ...(secret !== undefined && {
      secret: {
        next: secret === "rotate" ? newSecret() : Redacted.make(secret),
        previousFor: Duration.seconds(previous_secret_ttl_seconds)
      }
    })
  }
  return change
})
