import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Channel, Intent, Message, Part } from "#channels/Channel.ts"
import type { ChannelKind } from "#channels/ChannelKind.ts"
import { bubblesOf } from "#channels/bubblesOf.ts"
import { Endpoints } from "#channels/Endpoints.ts"
import { readAnswer } from "#channels/outbound/answer.ts"
import { Outbound } from "#channels/outbound/Outbound.ts"
import { asAttempt, channelMissing, findEndpoint } from "#channels/outbound/unanswered.ts"

/** An app's configuration of a room, besides the messenger's address. */
const RoomConfig = Schema.Struct({
  room: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(80)).annotate({
    description: "The room that messages are sent to",
    examples: ["lobby"]
  }),
  username: Schema.optionalKey(
    Schema.NullOr(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(80))).annotate({
      description: "The name that messages are shown under. Null: the room's own"
    })
  )
})
const decodeConfig = Schema.decodeUnknownEffect(RoomConfig)

/** A messenger with one address to post to for all its rooms: one message for each bubble, at most one at a time. */
export const ROOM = {
  name: "room",
  paced: true,
  holdKind: null,
  config: RoomConfig,
  secret: "token"
} as const satisfies ChannelKind

const RETRY = [1, 5, 30].map((seconds) => Duration.seconds(seconds))
/** A room accepts one message in this time. */
const SPACING_MS = 50
/** How long a lane is kept while it waits for its slot. For longer waits it is released. */
const WORTH_WAITING_MS = 500

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

  const put = Effect.fnUntraced(function* (message: Message<string>) {
    const endpoint = yield* findEndpoint(endpoints, message)
    const token = endpoint?.secrets[0]
    if (endpoint === undefined || token === undefined) return channelMissing
    const { room, username } = yield* decodeConfig(endpoint.config)
    const answer = yield* outbound.send({
      method: "PUT",
      url: Redacted.value(endpoint.url),
      headers: { authorization: `Bearer ${Redacted.value(token)}`, "content-type": "application/json" },
      body: JSON.stringify({ room, content: message.content, ...(username != null && { username }) })
    })
    return yield* readAnswer(answer)
  }, asAttempt)

  const deliver = (message: Message<string>, intent: Intent) => Effect.andThen(intent.record, put(message))

  return {
    kind: ROOM,
    open: (delivery) =>
      Effect.succeed(delivery.type === "channel.test" ? ["This room is connected."] : bubblesOf(delivery)),
    admit,
    deliver,
    // A room cannot distinguish a copy from a message.
    afterUnknown: () => Effect.succeed("skip" as const),
    retry: () => Effect.succeed(RETRY)
  } satisfies Channel<string>
})
