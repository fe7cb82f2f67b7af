import { defineError } from "./catalogue.ts"

const CREATE = "POST /v1/sessions/{session_id}/stream-token"
const newToken =
  `Get a new token from your backend, which creates it with ${CREATE}, and continue after the last cursor that you ` +
  "have seen."

export const streamTokenInvalid = defineError(
  401,
  "stream_token_invalid",
  "This stream token is not valid: it was changed, or created by another server.",
  newToken
)
export const streamTokenExpired = defineError(401, "stream_token_expired", "This stream token has expired.", newToken)
/** The key that created it is no longer valid. */
export const streamTokenEnded = streamTokenInvalid.saying(
  "The key that created this stream token has been revoked or has expired.",
  `Create a new token with a valid key: ${CREATE}.`
)
/** The logs of proxies contain URLs. */
export const keyInUrl = streamTokenInvalid.saying(
  "A key must not be sent in a URL. `token` takes a stream token (st_...).",
  `Create one with the key: ${CREATE}. If others can read this URL, such as in the logs of a proxy, rotate the key.`
)
export const streamTokenNotAllowed = defineError(
  403,
  "stream_token_not_allowed",
  "A stream token can only read the events of its session.",
  "Send it to GET /v1/sessions/{session_id}/events or /events/stream, for the session that it was created for. " +
    "Anything else needs a key, which only your backend should have."
)
export const streamTokenOfOtherSession = streamTokenNotAllowed.saying(
  "This stream token is for another session.",
  `Create one for this session: ${CREATE}.`
)
