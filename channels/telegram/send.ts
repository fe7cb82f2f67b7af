import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { Attempt, type Delivery, INTENDED, type Intent, type NotIntended } from "../Channel.ts"
import { OperationalLog } from "../OperationalLog.ts"
import { BotApi, type BotApiError } from "./BotApi.ts"
import { releaseAfterCall } from "./releaseAfterCall.ts"
import { Outage } from "./Outage.ts"
import { type PaceGrant, Pace } from "./Pace.ts"
import { splitMarked } from "./markup.ts"
import type { Message } from "./render.ts"
import { sessionIdOf } from "./serviceLog.ts"
import { type SendingBot, TelegramBots } from "./TelegramBots.ts"
import { type Chat, TelegramChats } from "./TelegramChats.ts"

/** From this delay on, the app is notified. */
const LONG_WAIT = Duration.seconds(60)
/**
 * How often the same message is sent in another form after a refusal, which certainly means that it was not delivered.
 */
const FORMS = 3
const DEFAULT_RETRY_AFTER_SECONDS = 5
/** How long the other form waits for its own slot. For a longer wait, the lane is released. */
const MAX_WAIT = Duration.seconds(5)
/** The same for the rest of a partly sent message, because half a message is worse than a late one. */
const MAX_WAIT_STARTED = Duration.seconds(30)

/** A message with everything that is sent for it. */
export type Sendable =
  | Exclude<Message, { readonly kind: "photo" }>
  | (Extract<Message, { readonly kind: "photo" }> & { readonly bytes: Uint8Array })

/** The form of a message for the next try after a refusal. `rest` is sent after it. */
interface Form {
  readonly chat: Chat
  readonly message: Sendable
  readonly rest: ReadonlyArray<Sendable>
}

type Answer = Result.Result<{ readonly message_id: number }, BotApiError>

/** A text shorter than this cannot be too long. */
const MIN_TO_PART = 1000
/** Splits once more for limits that we do not know: a text in two, a picture from its caption. */
const parted = (message: Sendable): ReadonlyArray<Sendable> => {
  if (message.kind === "photo")
    return message.caption === ""
      ? []
      : [
          { ...message, caption: "" },
          { kind: "text", text: message.caption, entities: [] }
        ]
  return message.text.length < MIN_TO_PART
    ? []
    : splitMarked(message, Math.ceil((message.text.length * 2) / 3)).map(({ text, entities }) => ({
        kind: "text",
        text,
        entities
      }))
}

const plain = (message: Sendable): Sendable | null => {
  if (message.kind === "photo")
    return message.alternative === "" ? null : { kind: "text", text: message.alternative.slice(0, 4096), entities: [] }
  return message.entities.length === 0 ? null : { ...message, entities: [] }
}

/**
 * Sends one message, in another form if Telegram refuses the first, and returns what that means for the lane, the chat
 * and the bot.
 */
export const makeSend = Effect.gen(function* () {
  const api = yield* BotApi
  const bots = yield* TelegramBots
  const chats = yield* TelegramChats
  const outage = yield* Outage
  const pace = yield* Pace
  const operations = yield* OperationalLog

  const put = (
    bot: SendingBot,
    { chat: { chatId, threadId }, message }: Form,
    intent: Intent
  ): Effect.Effect<{ readonly message_id: number }, BotApiError | NotIntended> => {
    const to = { chat_id: chatId, ...(threadId !== 0 && { message_thread_id: threadId }) }
    return message.kind === "text"
      ? api.sendMessage(
          bot.token,
          {
            ...to,
            text: message.text,
            entities: [...message.entities],
            link_preview_options: { is_disabled: true }
          },
          intent
        )
      : api.sendPhoto(
          bot.token,
          { ...to, ...(message.caption !== "" && { caption: message.caption }) },
          message.bytes,
          intent
        )
  }

  /** The next form to try. Null: there is none. */
  const sendReduced = Effect.fnUntraced(function* (delivery: Delivery, form: Form, error: BotApiError) {
    switch (error.kind) {
      case "migrated":
        if (error.migrateTo === null || error.migrateTo === form.chat.chatId) return null
        yield* chats.migrate(delivery, form.chat.chatId, error.migrateTo)
        return { ...form, chat: { ...form.chat, chatId: error.migrateTo } }
      case "thread_gone":
        if (form.chat.threadId === 0) return null
        yield* chats.leaveThread(delivery)
        return { ...form, chat: { ...form.chat, threadId: 0 } }
      case "too_long": {
        const [first, ...rest] = form.rest.length > 0 ? [] : parted(form.message)
        return first === undefined ? null : { ...form, message: first, rest }
      }
      case "format":
      case "media": {
        const message = plain(form.message)
        return message === null ? null : { ...form, message }
      }
      default:
        return null
    }
  })

  /** Repeats until the slot is granted, however many other calls come first. */
  const acquire = Effect.fnUntraced(function* (delivery: Delivery) {
    while (true) {
      const grant = yield* pace.acquire(delivery)
      if (grant === undefined || !("wait" in grant)) return grant
      yield* Effect.sleep(grant.wait)
    }
  })

  const judge = Effect.fnUntraced(function* (delivery: Delivery, bot: SendingBot, error: BotApiError) {
    const { appId, channelId } = delivery
    const told = {
      statusCode: error.status,
      answer: error.status === null ? null : error.description,
      errorCode: error.kind
    }
    const silence = error.description.toLowerCase().replaceAll(" ", "_")
    const retried = Attempt.cases.NotSent.make({
      ...told,
      errorCode: error.status === null ? silence : error.kind,
      retryAfter: null,
      throttle: false
    })
    switch (error.kind) {
      case "not_sent":
      case "conflict":
        return retried
      case "ambiguous":
        return Attempt.cases.Unknown.make({
          ...told,
          errorCode: error.status === null ? silence : "server_error"
        })
      case "rate_limited": {
        const after = Duration.seconds(error.retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS)
        yield* Effect.ignore(pace.backOff(delivery, after))
        if (Duration.isGreaterThan(after, LONG_WAIT)) {
          yield* operations.append({
            appId,
            type: "delivery.delayed",
            payload: {
              channel_id: channelId,
              session_id: sessionIdOf(delivery),
              event_cursor: delivery.cursor,
              seconds: Duration.toSeconds(after)
            }
          })
        }
        return Attempt.cases.Later.make({ ...told, after })
      }
      case "auth":
        // Another process may have just given the bot a new token.
        return (yield* bots.revoke(appId, channelId, bot.tokenVersion)) ? Attempt.cases.Gone.make(told) : retried
      case "chat_blocked":
        yield* chats.mark(delivery, "blocked", error.kind)
        return Attempt.cases.Parked.make(told)
      case "chat_gone":
      case "chat_not_started":
      case "no_rights":
        yield* chats.mark(delivery, "unreachable", error.kind)
        return Attempt.cases.Parked.make(told)
      case "frozen":
        yield* bots.degrade(appId, channelId, "frozen")
        return retried
      case "noop":
        return Attempt.cases.Sent.make({ statusCode: error.status, answer: null })
      default:
        return Attempt.cases.Rejected.make(told)
    }
  })

  return Effect.fnUntraced(function* (
    delivery: Delivery,
    bot: SendingBot,
    { chat, inFlight }: PaceGrant,
    message: Sendable,
    intent: Intent
  ) {
    let form: Form = { chat, message, rest: [] }
    let call = inFlight
    let isBegun = false
    const sending = Effect.gen(function* () {
      for (let tries = 1; ; tries++) {
        // The rest of a partly sent message is sent under the intent of its beginning, which stays on record.
        const putting = put(bot, form, isBegun ? INTENDED : intent)
        const result = yield* releaseAfterCall(pace, delivery, call, putting).pipe(
          Effect.map((message): Answer => Result.succeed(message)),
          Effect.catchTag("BotApiError", (error) => Effect.succeed<Answer>(Result.fail(error)))
        )
        yield* outage.record(delivery.channelId, Result.isSuccess(result) || result.failure.kind !== "not_sent")
        if (Result.isSuccess(result)) {
          const [next, ...rest] = form.rest
          if (next === undefined)
            return Attempt.cases.Sent.make({
              statusCode: 200,
              answer: JSON.stringify({ message_id: result.success.message_id })
            })
          isBegun = true
          form = { chat: form.chat, message: next, rest }
        } else {
          const other = tries < FORMS ? yield* sendReduced(delivery, form, result.failure) : null
          if (other === null) return yield* judge(delivery, bot, result.failure)
          form = other
        }
        const told = Result.isSuccess(result)
          ? { statusCode: 200, answer: null, errorCode: "paced" }
          : { statusCode: result.failure.status, answer: result.failure.description, errorCode: result.failure.kind }
        if (!isBegun) yield* intent.withdraw
        const within = isBegun ? MAX_WAIT_STARTED : MAX_WAIT
        const wait = yield* pace.reserve(delivery, { proactive: false, within })
        if (wait === null || Duration.isGreaterThan(wait, within))
          return Attempt.cases.Later.make({ ...told, after: wait ?? within })
        yield* Effect.sleep(wait)
        const grant = Option.getOrUndefined(yield* Effect.timeoutOption(acquire(delivery), within))
        if (grant === undefined) return Attempt.cases.Later.make({ ...told, after: within })
        call = grant.inFlight
      }
    })
    const attempt = yield* sending.pipe(
      Effect.catchTag(["ChatsUnavailable", "BotsUnavailable"], ({ cause }): Effect.Effect<Attempt> =>
        Effect.logWarning("outcome of a bot message could not be written", cause).pipe(
          // The message was certainly refused. Only its chat or bot could not be marked.
          Effect.as(
            Attempt.cases.NotSent.make({
              statusCode: null,
              answer: null,
              errorCode: "unavailable",
              retryAfter: null,
              throttle: false
            })
          )
        )
      )
    )
    // A partly sent message cannot be reported as not sent.
    return isBegun && attempt._tag !== "Sent"
      ? Attempt.cases.Unknown.make({ statusCode: attempt.statusCode, answer: attempt.answer, errorCode: "partly_sent" })
      : attempt
  })
})
