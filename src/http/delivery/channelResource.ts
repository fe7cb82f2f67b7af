import * as Effect from "effect/Effect"
import { WebhookConfig } from "#channels/webhook/WebhookConfig.ts"
import type { ChannelScope } from "#src/db/delivery/Alignment.ts"
import type { StoredChannel } from "#src/db/delivery/channels/StoredChannel.ts"
import { success } from "#src/http/server/envelope.ts"
import { channelActions, type ChannelHome } from "./ChannelHome.ts"
import { channelNotFound } from "./deliveryErrors.ts"

const nothingSet = Object.fromEntries(Object.keys(WebhookConfig.fields).map((field) => [field, null]))

export const toChannelResource = (channel: StoredChannel) => ({
  id: channel.channel_id,
  session_id: channel.session_id,
  kind: channel.kind,
  url: channel.url,
  events: channel.events,
  ...nothingSet,
  ...channel.config,
  status: channel.status,
  position: channel.position,
  consecutive_failures: channel.consecutive_failures,
  created_at: channel.created_at.toISOString()
})

/** A channel with what may be done next, or 404. */
export const showChannel = (
  baseUrl: string,
  home: ChannelHome,
  scope: ChannelScope,
  channel: StoredChannel | undefined
) =>
  channel === undefined
    ? Effect.fail(channelNotFound)
    : Effect.succeed(success(toChannelResource(channel), channelActions(baseUrl, home, scope, channel.channel_id)))
