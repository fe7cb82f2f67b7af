import * as Effect from "effect/Effect"
import type { ChannelKind } from "#channels/ChannelKind.ts"
import type { ChannelScope } from "#src/db/delivery/Alignment.ts"
import type { StoredChannel } from "#src/db/delivery/channels/StoredChannel.ts"
import { success } from "#src/http/server/envelope.ts"
import { channelActions, type ChannelParent } from "./ChannelParent.ts"
import type { Server } from "#src/http/server/Server.ts"
import { channelNotFound } from "./deliveryErrors.ts"
import { findKind } from "./kindFields.ts"

const nothingSet = ({ config }: ChannelKind) =>
  Object.fromEntries(Object.keys(config?.fields ?? {}).map((field) => [field, null]))

export const toChannelResource = (kinds: ReadonlyArray<ChannelKind>, channel: StoredChannel) => ({
  id: channel.channel_id,
  session_id: channel.session_id,
  kind: channel.kind,
  url: channel.url,
  events: channel.events,
  ...nothingSet(findKind(kinds, channel.kind)),
  ...channel.config,
  status: channel.status,
  position: channel.position,
  consecutive_failures: channel.consecutive_failures,
  created_at: channel.created_at.toISOString()
})

/** A channel with its possible next actions, or 404. */
export const showChannel = (
  { baseUrl, channelKinds }: Server,
  parent: ChannelParent,
  scope: ChannelScope,
  channel: StoredChannel | undefined
) =>
  channel === undefined
    ? Effect.fail(channelNotFound)
    : Effect.succeed(
        success(toChannelResource(channelKinds, channel), channelActions(baseUrl(), parent, scope, channel.channel_id))
      )
