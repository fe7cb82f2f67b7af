import { upstreamFailed } from "#src/http/server/errors.ts"
import { defineError } from "#src/http/server/catalogue.ts"

export const botNotFound = defineError(
  404,
  "bot_not_found",
  "There is no such Telegram bot in this app.",
  "List the app's bots with GET /v1/telegram/bots."
)
export const batchNotFound = defineError(
  404,
  "batch_not_found",
  "There is no such batch in this app.",
  "A batch's id is in the answer that created it."
)
export const telegramTokenInvalid = defineError(
  422,
  "telegram_token_invalid",
  "This is no token of a Telegram bot that Telegram takes.",
  "Copy the token from @BotFather, whole: digits, a colon and 35 characters."
)
export const telegramTokenOfAnother = telegramTokenInvalid.saying(
  "This is the token of another bot.",
  "Give a token of the same bot, or attach the other one with POST /v1/telegram/bots."
)
export const telegramBotTaken = defineError(
  409,
  "telegram_bot_taken",
  "This Telegram bot is attached already.",
  "DELETE the bot where it is attached, or give that one a new token with PATCH."
)
export const telegramWebhookForeign = defineError(
  409,
  "telegram_webhook_foreign",
  "Another system gets this bot's messages: its webhook is set.",
  "Take the bot out there first, or send takeover: true."
)
export const managedBotsUnavailable = defineError(
  409,
  "managed_bots_unavailable",
  "This server has no manager bot.",
  "Attach a bot of your own with mode: byo, or have the operator set TELEGRAM_MANAGER_TOKEN."
)
export const preCheckoutOver = defineError(
  409,
  "pre_checkout_over",
  "Telegram waits for no answer to this query of the bot's any more.",
  "Answer a payment.pre_checkout within ten seconds, once."
)
export const telegramNameTaken = defineError(
  409,
  "telegram_name_taken",
  "Another app has requested a bot of this username within the last day.",
  "Suggest another username, or leave suggested_username out: a free one is made up."
)
export const botManaged = defineError(
  409,
  "bot_managed",
  "This bot's token is replaced here.",
  "Replace it with POST /v1/telegram/bots/{bot_id}/rotate-token."
)
export const botNotManaged = defineError(
  409,
  "bot_not_managed",
  "This bot's token is its owner's to replace.",
  "Get a new one from @BotFather, and PATCH it."
)
const otherStatus = defineError(
  409,
  "bot_status_conflict",
  "In its present status that cannot be done to the bot.",
  "GET the bot says how it is doing, and what it takes to go on."
)
export const botStatusConflict = (status: string) =>
  otherStatus.saying(`The bot is ${status}: that cannot be done now.`)
export const telegramUnavailable = (description: string) =>
  upstreamFailed.saying(`Telegram could not be asked: ${description}.`)
