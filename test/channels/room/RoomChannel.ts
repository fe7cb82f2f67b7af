import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Attempt, type Channel, type Message, type Part } from "#channels/Channel.ts"
import type { ChannelKind } from "#channels/ChannelKind.ts"
import { Endpoints } from "#channels/Endpoints.ts"
import { Outbound } from "#channels/outbound/Outbound.ts"
import { readAnswer } from "#channels/webhook/answer.ts"
import { readRetryAfter } from "#channels/webhook/retryAfterHeader.ts"

/** An app's configuration of a room, besides its address. */
const RoomConfig = Schema.Struct({
  username: Schema.optionalKey(
    Schema.NullOr(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(80))).annotate({
      description: "The name that messages are shown under. Null: the room's own"
    })
  )
})
const decodeConfig = Schema.decodeUnknownOption(RoomConfig)

/** A messenger whose rooms have an address to post to: one message for each bubble, at most one at a time. */
export const ROOM = {
  name: "room",
  paced: true,
  holdKind: null,
  config: RoomConfig
} as const satisfies ChannelKind

const RETRY = [1, 5, 30].map((seconds) => Duration.seconds(seconds))
/** A room accepts one message in this time. */
const SPACING_MS = 50
/** How long a lane is kept while it waits for its slot. For longer waits it is released. */
const WORTH_WAITING_MS = 500

const decodeSpoken = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({ role: Schema.String, payload: Schema.Struct({ bubbles: Schema.Array(Schema.String) }) })
  )
)
const bubblesOf = (type: string, event: string): ReadonlyArray<string> => {
  if (type === "channel.test") return ["This room is connected."]
  if (type !== "message.created" && type !== "character.initiated") return []
  const spoken = Option.getOrUndefined(decodeSpoken(event))
  return spoken?.role === "character" ? spoken.payload.bubbles : []
}

const unanswered = { statusCode: null, answer: null }
const channelMissing = Attempt.cases.Gone.make({ ...unanswered, errorCode: "channel_missing" })
const notSent = (errorCode: string) =>
  Attempt.cases.NotSent.make({ ...unanswered, errorCode, retryAfter: null, throttle: false })

/** The whole adapter. The courier does the rest. */
export const makeRoomChannel = Effect.gen(function* () {
  const [endpoints, outbound] = [yield* Endpoints, yield* Outbound]
  const nextAt = new Map<string, number>()

  const admit = Effect.fnUntraced(function* ({ channelId }: Part) {
    const now = yield* Clock.currentTimeMillis
    const at = nextAt.get(channelId) ?? 0
    if (at - now > WORTH_WAITING_MS) return { after: Duration.millis(at - now) }
    nextAt.set(channelId, Math.max(at, now) + SPACING_MS)
    yield* Effect.sleep(Duration.millis(Math.max(0, at - now)))
    return "go" as const
  })

  const deliver = ({ appId, channelId, channelVersion, content }: Message<string>) =>
    Effect.gen(function* () {
      const endpoint = yield* endpoints.get(appId, channelId, channelVersion)
      if (endpoint === undefined) return channelMissing
      const username = Option.getOrUndefined(decodeConfig(endpoint.config))?.username
      const { status, headers, body } = yield* outbound.post({
        url: Redacted.value(endpoint.url),
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ content, ...(username != null && { username }) })
      })
      return readAnswer(status, body, readRetryAfter(headers.retryAfter ?? null, yield* Clock.currentTimeMillis))
    }).pipe(
      Effect.catchTag("EndpointsUnavailable", () => Effect.succeed(notSent("endpoint_unavailable"))),
      Effect.catchTag("OutboundError", ({ reason, sent }) =>
        Effect.succeed(sent ? Attempt.cases.Unknown.make({ ...unanswered, errorCode: reason }) : notSent(reason))
      )
    )

  return {
    kind: ROOM,
    open: ({ type, event }) => Effect.succeed(bubblesOf(type, event)),
    admit,
    deliver,
    // A room cannot distinguish a copy from a message.
    afterUnknown: () => Effect.succeed("skip" as const),
    retry: () => Effect.succeed(RETRY)
  } satisfies Channel<string>
})
