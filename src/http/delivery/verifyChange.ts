import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Channels } from "#src/db/delivery/Channels.ts"
import type { ChannelScope } from "#src/db/delivery/Alignment.ts"
import type { ChannelChange } from "#src/db/delivery/channels/changeChannel.ts"
import type { StoredChannel } from "#src/db/delivery/channels/StoredChannel.ts"
import { channelNotFound } from "./deliveryErrors.ts"
import { verifyReceiver } from "./verifyReceiver.ts"

/**
 * Asks for a confirmation if a change leads events of an MCP event subscription to an address that has not confirmed
 * this subscription: the address or the subscription is a new one. Returns the change, without an address that the
 * subscription has already.
 */
export const verifyChange = Effect.fnUntraced(function* (
  scope: ChannelScope,
  channel: StoredChannel,
  change: ChannelChange
) {
  const { url, secret, config = {}, ...others } = change
  const before = channel.config["mcp_subscription"]
  const { mcp_subscription: subscription = before } = config as Readonly<Record<string, unknown>>
  if (typeof subscription !== "string" || (url === undefined && subscription === before)) return change
  const present = yield* Channels.use((channels) => channels.endpoint(scope, channel.channel_id))
  if (present === undefined) return yield* channelNotFound
  const known = new URL(Redacted.value(present.url))
  if (subscription === before && url?.href === known.href)
    return { ...others, config, ...(secret !== undefined && { secret }) }
  yield* verifyReceiver(subscription, url ?? known, secret?.next ?? present.secret)
  return change
})
