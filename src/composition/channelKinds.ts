import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Channel, ChannelKinds } from "#channels/Channel.ts"
import { Outage } from "#channels/telegram/Outage.ts"
import { makeTelegramChannel, TELEGRAM_KINDS } from "#channels/telegram/TelegramChannel.ts"
import { Typing } from "#channels/telegram/Typing.ts"
import { makeWebhookChannel } from "#channels/webhook/WebhookChannel.ts"
import * as WebhookEndpointReader from "#src/db/delivery/WebhookEndpointReader.ts"
import * as PhotoReader from "#src/db/telegram/PhotoReader.ts"
import * as TelegramChatTable from "#src/db/telegram/TelegramChatTable.ts"
import { givingUp } from "#src/jobs/runner/givingUp.ts"

/** All push channels. */
export const channelKinds = Layer.effect(
  ChannelKinds,
  Effect.gen(function* () {
    const channels: ReadonlyArray<Channel> = [
      yield* makeWebhookChannel,
      ...(yield* Effect.forEach(TELEGRAM_KINDS, makeTelegramChannel))
    ]
    return new Map(channels.map((channel) => [channel.kind, givingUp(channel)]))
  })
).pipe(
  Layer.provide([WebhookEndpointReader.layer, Outage.layer, Typing.layer, TelegramChatTable.layer, PhotoReader.layer])
)
