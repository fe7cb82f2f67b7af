import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Channel } from "#channels/Channel.ts"
import type { ChannelKind } from "#channels/ChannelKind.ts"
import type { Endpoints } from "#channels/Endpoints.ts"
import type { Outbound } from "#channels/outbound/Outbound.ts"
import { TELEGRAM_BYO, TELEGRAM_MANAGED } from "#channels/telegram/telegramKinds.ts"
import { makeWebhookChannel } from "#channels/webhook/WebhookChannel.ts"
import { WEBHOOK } from "#channels/webhook/webhookKind.ts"

/** A kind of channel that pushes to an address that an app gives. */
export interface PushKind {
  readonly kind: ChannelKind
  readonly make: Effect.Effect<Channel, never, Endpoints | Outbound>
}

/** The kinds that apps make channels of. A new one is listed here. */
export const PUSH_KINDS: ReadonlyArray<PushKind> = [{ kind: WEBHOOK, make: makeWebhookChannel }]

export const PushKinds = Context.Reference<ReadonlyArray<PushKind>>("src/composition/PushKinds", {
  defaultValue: () => PUSH_KINDS
})

/** All kinds of push channel. */
export const CHANNEL_KINDS: ReadonlyArray<ChannelKind> = [
  ...PUSH_KINDS.map(({ kind }) => kind),
  TELEGRAM_BYO,
  TELEGRAM_MANAGED
]
