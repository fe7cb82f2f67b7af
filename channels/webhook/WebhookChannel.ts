import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { VERSION } from "#pipeline/domain/version.ts"
import type { Channel, Delivery, Message } from "../Channel.ts"
import { Endpoints } from "../Endpoints.ts"
import { readAnswer } from "../outbound/answer.ts"
import { Outbound } from "../outbound/Outbound.ts"
import { asAttempt, channelMissing, findEndpoint } from "../outbound/unanswered.ts"
import { SCHEDULE } from "./schedule.ts"
import { signatureHeaders } from "./sign.ts"
import { WebhookConfig } from "./WebhookConfig.ts"
import { WEBHOOK } from "./webhookKind.ts"

const USER_AGENT = `Troupe/${VERSION}`

/** Timeout of one attempt, from the connection to the end of the answer. */
const TOTAL = Duration.seconds(15)

const decodeConfig = Schema.decodeUnknownEffect(WebhookConfig)

/**
 * Posts the event as it is in the log to the app's endpoint, signed by Standard Webhooks. At least once: an attempt
 * with unknown result is repeated with the same id.
 */
export const makeWebhookChannel = Effect.gen(function* () {
  const endpoints = yield* Endpoints
  const outbound = yield* Outbound

  const deliver = Effect.fnUntraced(function* (message: Message<string>) {
    const { cursor, eventId, content } = message
    const endpoint = yield* findEndpoint(endpoints, message)
    if (endpoint === undefined) return channelMissing

    const body = Buffer.from(content, "utf8")
    const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const headers = {
      ...signatureHeaders({ id: eventId, timestamp, body }, endpoint.secrets),
      "x-service-event-id": eventId,
      "x-service-cursor": String(cursor),
      "content-type": "application/json",
      "user-agent": USER_AGENT
    }
    const answer = yield* outbound.send({ url: Redacted.value(endpoint.url), headers, body, totalTimeout: TOTAL })
    return yield* readAnswer(answer)
  }, asAttempt)

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
