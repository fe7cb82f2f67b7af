import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { VERSION } from "#pipeline/domain/version.ts"
import { Attempt, type Channel, type Delivery, type Message } from "../Channel.ts"
import { Endpoints } from "../Endpoints.ts"
import type { OutboundError } from "../outbound/exchange.ts"
import { Outbound } from "../outbound/Outbound.ts"
import { MAX_BYTES, readAnswer, within } from "./answer.ts"
import { readRetryAfter } from "./retryAfterHeader.ts"
import { SCHEDULE } from "./schedule.ts"
import { signatureHeaders } from "./sign.ts"
import { WebhookConfig } from "./WebhookConfig.ts"
import { WEBHOOK } from "./webhookKind.ts"

const USER_AGENT = `Troupe/${VERSION}`

/** Timeout of one attempt, from the connection to the end of the answer. */
const TOTAL = Duration.seconds(15)
/** How long to retry the look-up of an endpoint before an attempt. */
const LOOK_UP = Schedule.spaced("1 second").pipe(Schedule.upTo({ times: 14 }))

const decodeConfig = Schema.decodeUnknownEffect(WebhookConfig)

const unanswered = { statusCode: null, answer: null }

const channelMissing = Attempt.cases.Gone.make({ ...unanswered, errorCode: "channel_missing" })
const endpointUnavailable = Attempt.cases.NotSent.make({
  ...unanswered,
  errorCode: "endpoint_unavailable",
  retryAfter: null,
  throttle: false
})

/** Without an answer, only the outbound call knows whether the request may have arrived. */
const failed = ({ reason, sent }: OutboundError): Attempt =>
  sent
    ? Attempt.cases.Unknown.make({ ...unanswered, errorCode: reason })
    : Attempt.cases.NotSent.make({ ...unanswered, errorCode: reason, retryAfter: null, throttle: false })

/**
 * Posts the event as it is in the log to the app's endpoint, signed by Standard Webhooks. At least once: an attempt
 * with unknown result is repeated with the same id.
 */
export const makeWebhookChannel = Effect.gen(function* () {
  const endpoints = yield* Endpoints
  const outbound = yield* Outbound

  const deliver = Effect.fnUntraced(function* (message: Message<string>) {
    const { appId, channelId, channelVersion, cursor, eventId, content } = message
    // If our look-up fails, the receiver is not at fault, so it is worth retrying.
    const endpoint = yield* Effect.result(Effect.retry(endpoints.get(appId, channelId, channelVersion), LOOK_UP))
    if (Result.isFailure(endpoint)) return endpointUnavailable
    if (endpoint.success === undefined) return channelMissing
    const { url, secrets } = endpoint.success

    const body = Buffer.from(content, "utf8")
    const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const headers = {
      ...signatureHeaders({ id: eventId, timestamp, body }, secrets),
      "x-service-event-id": eventId,
      "x-service-cursor": String(cursor),
      "content-type": "application/json",
      "user-agent": USER_AGENT
    }
    const response = yield* Effect.result(
      outbound.post({ url: Redacted.value(url), headers, body, totalTimeout: TOTAL, keepBytes: MAX_BYTES })
    )
    if (Result.isFailure(response)) return failed(response.failure)
    const {
      status,
      headers: { retryAfter = null },
      body: answer
    } = response.success
    return readAnswer(status, within(MAX_BYTES, answer), readRetryAfter(retryAfter, yield* Clock.currentTimeMillis))
  })

  /** The channel's own schedule. Where it cannot be read, the default is better than none. */
  const retry = ({ appId, channelId, channelVersion }: Delivery) =>
    endpoints.get(appId, channelId, channelVersion).pipe(
      Effect.flatMap((endpoint) => decodeConfig(endpoint?.config ?? {})),
      Effect.map(({ retry_schedule }) => retry_schedule?.map((wait) => Duration.seconds(wait)) ?? SCHEDULE),
      Effect.orElseSucceed(() => SCHEDULE)
    )

  return {
    kind: WEBHOOK,
    retry,
    afterUnknown: () => Effect.succeed("retry" as const),
    open: ({ event }) => Effect.succeed([event]),
    deliver
  } satisfies Channel<string>
})
