import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Schema from "effect/Schema"
import { Attempt, type Delivery } from "../Channel.ts"
import type { Endpoints, EndpointsUnavailable } from "../Endpoints.ts"
import type { OutboundError } from "./exchange.ts"

/** What a push channel makes of an attempt that has no answer. */

/** How long to retry the look-up of an endpoint before an attempt. */
const LOOK_UP = Schedule.spaced("1 second").pipe(Schedule.upTo({ times: 14 }))

const unanswered = { statusCode: null, answer: null }
const gone = (errorCode: string) => Attempt.cases.Gone.make({ ...unanswered, errorCode })
const notSent = (errorCode: string) =>
  Attempt.cases.NotSent.make({ ...unanswered, errorCode, retryAfter: null, throttle: false })

export const channelMissing = gone("channel_missing")
export const channelExpired = gone("channel_expired")

/** The endpoint of a delivery. If our look-up fails, the receiver is not at fault, so it is worth retrying. */
export const findEndpoint = (endpoints: Endpoints["Service"], { appId, channelId, channelVersion }: Delivery) =>
  Effect.retry(endpoints.get(appId, channelId, channelVersion), LOOK_UP)

/**
 * Each failure as an attempt. Only the outbound call knows whether the request may have arrived. A configuration that
 * the Schema of the kind no longer takes stops the channel, because nothing could be sent with it.
 */
export const asAttempt = <R>(
  attempt: Effect.Effect<Attempt, EndpointsUnavailable | OutboundError | Schema.SchemaError, R>
): Effect.Effect<Attempt, never, R> =>
  Effect.catchTags(attempt, {
    EndpointsUnavailable: () => Effect.succeed(notSent("endpoint_unavailable")),
    SchemaError: () => Effect.succeed(gone("channel_unreadable")),
    OutboundError: ({ reason, sent }) =>
      Effect.succeed(sent ? Attempt.cases.Unknown.make({ ...unanswered, errorCode: reason }) : notSent(reason))
  })
