import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { FastifyRequest } from "fastify"
import { BotApi } from "#channels/telegram/BotApi.ts"
import { isBotToken, userIdOf } from "#channels/telegram/botToken.ts"
import { isId } from "#pipeline/domain/Id.ts"
import { Characters } from "#src/db/character/Characters.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import type { StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import {
  WebhookRegistrar,
  ForeignWebhook,
  TelegramUnavailable,
  TokenRejected
} from "#src/jobs/telegram/WebhookRegistrar.ts"
import { ProfilePublisher } from "#src/jobs/telegram/ProfilePublisher.ts"
import { NoManager } from "#src/jobs/telegram/manager/ManagerBot.ts"
import type { Success } from "#src/http/server/envelope.ts"
import { characterArchived, characterNotFound } from "#src/http/character/characterErrors.ts"
import {
  managedBotsUnavailable,
  telegramTokenInvalid,
  telegramUnavailable,
  telegramWebhookForeign,
  botManaged,
  botNotFound,
  telegramTokenOfAnother
} from "./telegramErrors.ts"
import type { ApiError } from "#src/http/server/ApiError.ts"
import { createOnce } from "#src/http/server/idempotent.ts"

/** The bot that a path names. */
export const findBot = Effect.fnUntraced(function* (request: FastifyRequest) {
  const { bot_id = "" } = request.params as Record<string, string>
  const bot = isId("bot", bot_id) ? yield* BotRows.use((rows) => rows.get(request.principal.appId, bot_id)) : undefined
  return bot ?? (yield* botNotFound)
})

/** Checks that new sessions with this character are allowed. */
export const checkCharacter = Effect.fnUntraced(function* (appId: string, slug: string) {
  const character = yield* Characters.use((characters) => characters.get(appId, slug))
  if (character === undefined) return yield* characterNotFound.about("body.character_slug")
  if (character.status === "archived") return yield* characterArchived.about("body.character_slug")
  return character
})

type TelegramRefusal = TokenRejected | ForeignWebhook | TelegramUnavailable | NoManager

const toApiError = (error: TelegramRefusal): ApiError => {
  switch (error._tag) {
    case "NoManager":
      return managedBotsUnavailable.about("body.mode")
    case "TokenRejected":
      return telegramTokenInvalid.about("body.token")
    case "ForeignWebhook":
      return telegramWebhookForeign.about("body.token")
    case "TelegramUnavailable":
      return telegramUnavailable(error.description)
  }
}

const isTelegramRefusal = (error: unknown): error is TelegramRefusal =>
  error instanceof TokenRejected ||
  error instanceof ForeignWebhook ||
  error instanceof TelegramUnavailable ||
  error instanceof NoManager

/** Maps Telegram's refusals to errors for the caller. */
export const askTelegram = <A, E, R>(effect: Effect.Effect<A, E | TelegramRefusal, R>) =>
  Effect.mapError(effect, (error) =>
    isTelegramRefusal(error) ? toApiError(error) : (error as Exclude<E, TelegramRefusal>)
  )

/** Checks the form of a token before any network call. */
export const readToken = (text: string) =>
  isBotToken(text)
    ? Effect.succeed(Redacted.make(text, { label: "bot token" }))
    : Effect.fail(telegramTokenInvalid.about("body.token"))

/**
 * Runs network calls outside of any transaction, unless the request's key is known. A replay returns the state `before`
 * the calls.
 */
export const runOnce = Effect.fnUntraced(function* <E, R>(
  request: FastifyRequest,
  before: Success,
  act: Effect.Effect<Success, E, R>
) {
  let fresh = false
  const kept = yield* createOnce(
    request,
    Effect.sync(() => {
      fresh = true
      return before
    })
  )
  return fresh ? yield* act : kept
})

/** Tells Telegram whether a payment may proceed. */
export const answerPreCheckout = Effect.fnUntraced(function* (
  bot: StoredBot,
  payload: { readonly pre_checkout_query_id: string; readonly ok: boolean; readonly error_message?: string }
) {
  const token = yield* Effect.orDie(BotRows.use((rows) => rows.token(bot)))
  if (token === undefined) return yield* botNotFound
  yield* BotApi.use((api) => api.call(token, "answerPreCheckoutQuery", payload))
})

/** Asks Telegram whose token it is, and returns the transaction that makes it the bot's. */
export const prepareToken = Effect.fnUntraced(function* (bot: StoredBot, text: string) {
  if (bot.mode === "managed") return yield* botManaged.about("body.token")
  const token = yield* readToken(text)
  if (userIdOf(token) !== bot.user_id) return yield* telegramTokenOfAnother.about("body.token")
  const identity = yield* WebhookRegistrar.use((registrar) => registrar.identify(token)).pipe(askTelegram)
  return BotRows.use((rows) => rows.replaceToken(bot.app_id, bot.channel_id, token, identity))
})

/** Replaces the token of a bot by another one of the same bot. Its webhook is still that of the old one. */
export const replaceToken = (bot: StoredBot, text: string) => Effect.flatten(prepareToken(bot, text))

/** Sets the webhook. A failure shows in the bot's status and is not an error, because it is retried. */
export const registerWebhook = Effect.fnUntraced(function* (bot: StoredBot, hooksAt: string, dropPending: boolean) {
  yield* WebhookRegistrar.use((registrar) => registrar.register(bot, { hooksAt, dropPending })).pipe(
    Effect.catchTags({
      TokenRejected: () => Effect.void,
      TelegramUnavailable: ({ description }) =>
        Effect.logWarning("a bot's webhook could not be set", { bot_id: bot.channel_id, description })
    })
  )
  return (yield* BotRows.use((rows) => rows.get(bot.app_id, bot.channel_id))) ?? (yield* botNotFound)
})

/** Sets the webhook, the commands and the descriptions of a bot that was just attached. */
export const setUpBot = Effect.fnUntraced(function* (bot: StoredBot, hooksAt: string, dropPending: boolean) {
  const registered = yield* registerWebhook(bot, hooksAt, dropPending)
  // The probe sets both later.
  if (registered.status !== "active") return registered
  yield* ProfilePublisher.use((publisher) => publisher.introduce(registered))
  return (yield* BotRows.use((rows) => rows.get(bot.app_id, bot.channel_id))) ?? (yield* botNotFound)
})
