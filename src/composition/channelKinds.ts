import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Channel, ChannelKinds } from "#channels/Channel.ts"
import { Outage } from "#channels/telegram/Outage.ts"
import { makeTelegramChannel } from "#channels/telegram/TelegramChannel.ts"
import { TELEGRAM_BYO, TELEGRAM_MANAGED } from "#channels/telegram/telegramKinds.ts"
import { Typing } from "#channels/telegram/Typing.ts"
import * as PostgresEndpoints from "#src/db/delivery/PostgresEndpoints.ts"
import * as PostgresPhotos from "#src/db/telegram/PostgresPhotos.ts"
import * as PostgresTelegramChats from "#src/db/telegram/PostgresTelegramChats.ts"
import { giveUpCrashingDeliveries } from "#src/jobs/runner/giveUpCrashingDeliveries.ts"
import { PushKinds } from "./pushKinds.ts"
import { ownTexts } from "./telegram.ts"

/** The push channels of a process. */
export const channelKinds = Layer.effect(
  ChannelKinds,
  Effect.gen(function* () {
    const channels: ReadonlyArray<Channel> = [
      ...(yield* Effect.forEach(yield* PushKinds, ({ make }) => make)),
      yield* makeTelegramChannel(TELEGRAM_BYO),
      yield* makeTelegramChannel(TELEGRAM_MANAGED)
    ]
    return new Map(channels.map((channel) => [channel.kind.name, giveUpCrashingDeliveries(channel)]))
  })
).pipe(
  Layer.provide([
    PostgresEndpoints.layer,
    Outage.layer,
    Typing.layer,
    PostgresTelegramChats.layer,
    PostgresPhotos.layer
  ]),
  Layer.provide(ownTexts)
)
