import { defineError } from "#src/http/server/catalogue.ts"

export const channelNotFound = defineError(
  404,
  "channel_not_found",
  "There is no such channel here.",
  "List the channels with GET on the path without the channel's id."
)
export const deliveryNotFound = defineError(
  404,
  "delivery_not_found",
  "There is no such delivery in this session.",
  "List the deliveries with GET /v1/sessions/{session_id}/delivery."
)
const tooManyChannels = defineError(
  409,
  "channel_limit_reached",
  "Channel limit reached.",
  "Delete a channel, or change the url or events of one with PATCH."
)
export const channelLimitReached = (most: number) =>
  tooManyChannels.saying(`Channel limit reached: there are already ${most} channels.`)
const rejectedUrl = defineError(
  422,
  "channel_url_rejected",
  "Events can't be pushed to this URL.",
  "Use an https URL whose host has a public address."
)
export const channelUrlRejected = ({ message, fix }: { readonly message: string; readonly fix: string }) =>
  rejectedUrl.saying(message, fix).about("body.url")
export const retryLimitReached = defineError(
  409,
  "delivery_retry_limit_reached",
  "Too many deliveries of this channel are waiting for a retry.",
  "Wait until they are done, or push everything after a cursor again with POST .../channels/{channel_id}/replay."
)
const unverified = defineError(
  422,
  "channel_unverified",
  "The URL didn't confirm the subscription.",
  'Answer a request with {"type": "verification"} with 200 and {"challenge": ...}, the challenge of the request.'
)
/** `reason`: why, for programs. */
export const channelUnverified = (reason: string) =>
  unverified
    .saying(`The URL didn't confirm the subscription (${reason}).`, unverified.fix, { reason })
    .about("body.url")
