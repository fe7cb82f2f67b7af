import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { hash } from "node:crypto"
import { VERSION } from "#pipeline/domain/version.ts"
import { maskUrl } from "../outbound/maskUrl.ts"
import { currentTraceparent } from "#pipeline/telemetry/trace.ts"
import type { Channel, Delivery, Message } from "../Channel.ts"
import { Endpoints } from "../Endpoints.ts"
import { readAnswer } from "../outbound/answer.ts"
import { Outbound } from "../outbound/Outbound.ts"
import { asAttempt, channelExpired, channelMissing, findEndpoint } from "../outbound/unanswered.ts"
import { occurrence } from "./occurrence.ts"
import { SCHEDULE } from "./schedule.ts"
import { signatureHeaders } from "./sign.ts"
import { WebhookConfig } from "./WebhookConfig.ts"
import { WEBHOOK } from "./webhookKind.ts"

/** What operators see of a request that failed. */
const requestOf = (url: string, headers: Readonly<Record<string, string>>, body: Uint8Array) =>
  JSON.stringify({
    url: URL.canParse(url) ? maskUrl(new URL(url)) : null,
    headers,
    body_bytes: body.byteLength,
    body_sha256: hash("sha256", body, "hex")
  })

const USER_AGENT = `Troupe/${VERSION}`

/** Timeout of one attempt, from the connection to the end of the answer. */
const TOTAL = Duration.seconds(15)
/** The status decides. What comes of the body shortly after it is kept for the app to read. */
const BODY = Duration.millis(250)

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
    const { mcp_subscription, expires_at } = yield* decodeConfig(endpoint.config)
    const now = yield* Clock.currentTimeMillis
    if (typeof expires_at === "string" && Date.parse(expires_at) <= now) return channelExpired

    const isForMcp = typeof mcp_subscription === "string"
    const body = Buffer.from(isForMcp ? occurrence(content) : content, "utf8")
    const timestamp = Math.floor(now / 1000)
    const traceparent = yield* currentTraceparent
    const headers = {
      ...signatureHeaders({ id: eventId, timestamp, body }, endpoint.secrets),
      "x-service-event-id": eventId,
      "x-service-cursor": String(cursor),
      "content-type": "application/json",
      "user-agent": USER_AGENT,
      ...(isForMcp && { "x-mcp-subscription-id": mcp_subscription }),
      ...(traceparent !== null && { traceparent })
    }
    const url = Redacted.value(endpoint.url)
    const attempt = yield* outbound
      .send({ url, headers, body, totalTimeout: TOTAL, bodyTimeout: BODY })
      .pipe(Effect.flatMap(readAnswer), asAttempt)
    return attempt._tag === "Sent" ? attempt : { ...attempt, request: requestOf(url, headers, body) }
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
