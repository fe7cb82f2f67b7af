import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { BotApi } from "#channels/telegram/BotApi.ts"
import { releaseAfterCall } from "#channels/telegram/releaseAfterCall.ts"
import { Pace } from "#channels/telegram/Pace.ts"
import { TelegramBots } from "#channels/telegram/TelegramBots.ts"
import { untilReachable } from "#src/db/postgres/retry.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import type { StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import type { ClaimedUpdate } from "#src/db/telegram/Updates.ts"
import { ServiceReplies } from "#src/db/telegram/ServiceReplies.ts"

/**
 * How long to keep the chat's queue for a message that waits for its rate limit. For a longer wait the update is
 * released.
 */
const MAX_WAIT = Duration.seconds(2)
/** Maximum number of tries while Telegram is unreachable, in the end a minute apart. */
const MAX_TRIES = 60
const LONGEST_PAUSE = Duration.seconds(64)
const DEFAULT_RETRY_AFTER_SECONDS = 5

/**
 * Sends a service reply that is on no log, like a lane sends a log event: within the chat's rate limit, and not again
 * if it may have been delivered.
 */
export const sendServiceReply = Effect.fnUntraced(function* (bot: StoredBot, update: ClaimedUpdate) {
  const [api, bots, pace, replies] = [yield* BotApi, yield* TelegramBots, yield* Pace, yield* ServiceReplies]
  const chat = { appId: update.app_id, channelId: update.channel_id, chatId: update.chat_id }
  if (update.kind === "word_sent") return yield* replies.giveUp(update, "unknown")
  const token = yield* Effect.orDie(BotRows.use((rows) => rows.token(bot)))
  if (token === undefined) return yield* replies.giveUp(update, "bot_missing")
  const wait = yield* pace.reserve(chat, { proactive: false, within: MAX_WAIT })
  if (Duration.isGreaterThan(wait, MAX_WAIT)) return yield* replies.retry(update, "paced", wait)
  yield* Effect.sleep(wait)
  const grant = yield* pace.acquire(chat)
  if (grant === undefined || "wait" in grant) return yield* replies.retry(update, "paced", grant?.wait ?? wait)
  if (!(yield* replies.recordIntent(update))) return
  const said = yield* Effect.result(
    releaseAfterCall(
      pace,
      chat,
      grant.inFlight,
      api.call(token, "sendMessage", {
        chat_id: update.chat_id,
        text: String(update.raw),
        ...(update.thread_id !== 0 && { message_thread_id: update.thread_id })
      })
    )
  )
  if (Result.isSuccess(said)) return yield* untilReachable(replies.markSent(update))
  const { kind, retryAfterSeconds } = said.failure
  switch (kind) {
    case "rate_limited": {
      const after = Duration.seconds(retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS)
      yield* Effect.ignore(pace.backOff(chat, after))
      return yield* untilReachable(replies.retry(update, kind, after))
    }
    case "auth":
      // Until the bot has a new token, none of its updates are handled.
      yield* Effect.ignore(bots.revoke(chat.appId, chat.channelId, bot.token_version))
      return yield* untilReachable(replies.retry(update, kind, Duration.seconds(1)))
    case "not_sent":
    case "conflict":
      return yield* untilReachable(
        update.attempts < MAX_TRIES
          ? replies.retry(update, kind, Duration.min(Duration.seconds(2 ** update.attempts), LONGEST_PAUSE))
          : replies.giveUp(update, kind)
      )
    default:
      return yield* untilReachable(replies.giveUp(update, kind === "ambiguous" ? "unknown" : kind))
  }
})
