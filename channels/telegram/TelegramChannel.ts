import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Schedule from "effect/Schedule"
import { textsFor } from "#pipeline/texts/textsFor.ts"
import { Attempt, type Channel, type Delivery, type Intent, type Message as Outgoing, type Part } from "../Channel.ts"
import type { ChannelKind } from "../ChannelKind.ts"
import { OperationalLog } from "../OperationalLog.ts"
import { Outage } from "./Outage.ts"
import { Pace } from "./Pace.ts"
import { Photos } from "./Photos.ts"
import { asCopy, isAsked, type Message, render, textsOf } from "./render.ts"
import { SCHEDULE } from "./schedule.ts"
import { makeSend, type Sendable } from "./send.ts"
import { sessionIdOf } from "./serviceLog.ts"
import { type SendingBot, TelegramBots } from "./TelegramBots.ts"
import { TelegramChats } from "./TelegramChats.ts"
import { Typing } from "./Typing.ts"

/** How long a lane is kept while it waits for its slot. For a longer wait it is released. */
const MAX_WAIT = Duration.seconds(2)
/**
 * The same for proactive messages. It is shorter, so that a bot that writes to many people at once has lanes left for
 * answers.
 */
const MAX_WAIT_PROACTIVE = Duration.millis(850)
/**
 * A message that misses its slot by more than this needs a new one. Otherwise messages delayed by a busy process would
 * be sent together.
 */
const LATE_MS = 40
/** How often to check whether the service reply that goes first has been sent. */
const BEHIND = Duration.millis(100)
/** How long to retry the look-ups that a message needs. */
const LOOK_UP = Duration.seconds(15)

/** If the language of the chat cannot be looked up. */
const ENDED = textsFor([], new Map()).ended

const unanswered = { statusCode: null, answer: null }
const botMissing = Attempt.cases.Gone.make({ ...unanswered, errorCode: "bot_missing" })
const chatMissing = Attempt.cases.Parked.make({ ...unanswered, errorCode: "chat_missing" })
const lookUpFailed = Attempt.cases.NotSent.make({
  ...unanswered,
  errorCode: "unavailable",
  retryAfter: null,
  throttle: false
})
const pictureGone = Attempt.cases.Rejected.make({ ...unanswered, errorCode: "picture_gone" })

const decodeTimes = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({ created_at: Schema.String, payload: Schema.Struct({ kind: Schema.optionalKey(Schema.String) }) })
  )
)
const askedAt = (event: string): number =>
  Option.match(decodeTimes(event), { onNone: () => 0, onSome: ({ created_at }) => Date.parse(created_at) })
const isInitiated = ({ type, event }: Delivery, kind: "greeting" | "proactive"): boolean =>
  type === "character.initiated" && Option.exists(decodeTimes(event), ({ payload }) => payload.kind === kind)

/** Waits for our own database for some time, because its unavailability is no failure of Telegram. */
const withLookUpTimeout = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<Option.Option<A>> =>
  effect.pipe(
    Effect.tapError((error) => Effect.logWarning("lookup for a message failed", error)),
    Effect.retry(Schedule.spaced("1 second")),
    Effect.timeoutOption(LOOK_UP),
    Effect.orElseSucceed(() => Option.none())
  )

/**
 * A bot's side of a conversation: an event becomes one or several messages, sent to the session's chat. Telegram does
 * not detect duplicates, so a message that may have arrived is not sent again, unless the bot's owner prefers a
 * duplicate to a gap. A greeting is sent once more if its process has died: without it, a conversation would begin with
 * nothing.
 */
export const makeTelegramChannel = Effect.fnUntraced(function* (kind: ChannelKind<true>) {
  const bots = yield* TelegramBots
  const chats = yield* TelegramChats
  const outage = yield* Outage
  const pace = yield* Pace
  const typing = yield* Typing
  const operations = yield* OperationalLog
  const photos = yield* Photos
  const send = yield* makeSend

  const messagesOf = Effect.fnUntraced(function* (delivery: Delivery) {
    switch (delivery.type) {
      case "message.failed":
        return textsOf(Option.getOrNull(yield* withLookUpTimeout(chats.apology(delivery, delivery.cursor))) ?? "")
      case "session.exited":
        return textsOf(Option.getOrElse(yield* withLookUpTimeout(chats.ending(delivery)), () => ENDED))
      default:
        return render(delivery.type, delivery.event)
    }
  })

  const open = Effect.fnUntraced(function* (delivery: Delivery) {
    if (isAsked(delivery.type, delivery.event)) {
      yield* typing.begin(delivery, delivery.channelVersion, askedAt(delivery.event))
      return []
    }
    return yield* messagesOf(delivery)
  })

  // Without rate limit data nothing is sent, and the lane comes back shortly.
  const admit = Effect.fnUntraced(function* (delivery: Part) {
    yield* typing.end(delivery)
    const away = yield* outage.wait
    if (Duration.isGreaterThan(away, Duration.zero)) return { after: away }
    const proactive = isInitiated(delivery, "proactive")
    const within = proactive ? MAX_WAIT_PROACTIVE : MAX_WAIT
    const givesWayUntil = (yield* Clock.currentTimeMillis) + Duration.toMillis(within)
    while (true) {
      const wait = yield* withLookUpTimeout(pace.reserve(delivery, { proactive, within }))
      if (Option.isNone(wait)) return { after: MAX_WAIT }
      if (wait.value === null) {
        if ((yield* Clock.currentTimeMillis) >= givesWayUntil) return { after: MAX_WAIT }
        yield* Effect.sleep(BEHIND)
        continue
      }
      if (Duration.isGreaterThan(wait.value, within)) return { after: wait.value }
      const due = (yield* Clock.currentTimeMillis) + Duration.toMillis(wait.value)
      if (Duration.isGreaterThan(wait.value, Duration.zero)) yield* Effect.sleep(wait.value)
      if (!proactive || (yield* Clock.currentTimeMillis) <= due + LATE_MS) return "go" as const
    }
  })

  const marked = (message: Message, bot: SendingBot, unknowns: number): Message =>
    unknowns === 0 || bot.unknownPolicy !== "resend_marked" ? message : asCopy(message)

  /** Loads a picture at the last moment. Null: it was deleted. */
  const withPicture = ({ appId }: Delivery, message: Message): Effect.Effect<Option.Option<Sendable | null>> =>
    message.kind !== "photo"
      ? Effect.succeedSome(message)
      : withLookUpTimeout(
          Effect.map(photos.read(appId, message.imageId), (bytes) => (bytes === null ? null : { ...message, bytes }))
        )

  const deliver = Effect.fnUntraced(function* (delivery: Outgoing<Message>, intent: Intent) {
    const found = yield* withLookUpTimeout(bots.get(delivery.appId, delivery.channelId, delivery.channelVersion))
    if (Option.isNone(found)) return lookUpFailed
    const bot = found.value
    if (bot === undefined) return botMissing
    const sendable = yield* withPicture(delivery, marked(delivery.content, bot, delivery.unknowns))
    if (Option.isNone(sendable)) return lookUpFailed
    if (sendable.value === null) return pictureGone
    const grant = yield* withLookUpTimeout(pace.acquire(delivery))
    if (Option.isNone(grant)) return lookUpFailed
    if (grant.value === undefined) return chatMissing
    if ("wait" in grant.value)
      return Attempt.cases.Later.make({ ...unanswered, errorCode: "paced", after: grant.value.wait })
    return grant.value.chat.status === "active"
      ? yield* send(delivery, bot, grant.value, sendable.value, intent)
      : chatMissing
  })

  const afterUnknown = Effect.fnUntraced(function* (message: Part, { crashed }: { readonly crashed: boolean }) {
    const { appId, channelId, channelVersion, eventId, cursor, part, unknowns } = message
    yield* operations.append({
      appId,
      type: "delivery.unknown",
      payload: {
        channel_id: channelId,
        session_id: sessionIdOf(message),
        event_id: eventId,
        event_cursor: cursor,
        part
      }
    })
    const bot = Option.getOrUndefined(yield* withLookUpTimeout(bots.get(appId, channelId, channelVersion)))
    if (bot === undefined || unknowns > 1) return "skip"
    return bot.unknownPolicy !== "skip" || (crashed && isInitiated(message, "greeting")) ? "retry" : "skip"
  })

  return { kind, retry: () => Effect.succeed(SCHEDULE), afterUnknown, open, admit, deliver } satisfies Channel<Message>
})
