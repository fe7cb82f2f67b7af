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
  "The response that created the batch contains its id."
)
export const telegramTokenInvalid = defineError(
  422,
  "telegram_token_invalid",
  "Telegram doesn't accept this bot token.",
  "Copy the whole token from @BotFather: digits, a colon and 35 characters."
)
export const telegramTokenOfAnother = telegramTokenInvalid.saying(
  "This token belongs to another bot.",
  "Send a token of the same bot, or attach the other one with POST /v1/telegram/bots."
)
export const telegramBotTaken = defineError(
  409,
  "telegram_bot_taken",
  "This Telegram bot is already attached.",
  "DELETE the bot where it is attached, or set a new token there with PATCH."
)
export const telegramWebhookForeign = defineError(
  409,
  "telegram_webhook_foreign",
  "Another system receives this bot's messages: it has set a webhook.",
  "Remove the webhook there first, or send takeover: true."
)
export const managedBotsUnavailable = defineError(
  409,
  "managed_bots_unavailable",
  "This server has no manager bot.",
  "Attach a bot of your own with mode: byo, or ask the operator to set TELEGRAM_MANAGER_TOKEN."
)
export const preCheckoutOver = defineError(
  409,
  "pre_checkout_over",
  "Telegram no longer waits for an answer to this query.",
  "Answer each payment.pre_checkout once, within ten seconds."
)
export const telegramNameTaken = defineError(
  409,
  "telegram_name_taken",
  "Another app has requested a bot with this username within the last day.",
  "Suggest another username, or omit suggested_username to get a free one."
)
export const botManaged = defineError(
  409,
  "bot_managed",
  "This bot's token is managed by this server.",
  "Replace it with POST /v1/telegram/bots/{bot_id}/rotate-token."
)
export const botNotManaged = defineError(
  409,
  "bot_not_managed",
  "Only the owner of this bot can replace its token.",
  "Get a new one from @BotFather, and PATCH it."
)
const otherStatus = defineError(
  409,
  "bot_status_conflict",
  "The bot's current status doesn't allow this.",
  "GET the bot to see its status and what it needs."
)
export const botStatusConflict = (status: string) =>
  otherStatus.saying(`The bot is ${status}, which doesn't allow this.`)
export const botSuspendedByOperator = otherStatus.saying(
  "The operator of this server has suspended the bot.",
  "Contact the operator of this server. Nothing is lost: conversations continue when the bot is resumed."
)
export const telegramUnavailable = (description: string) =>
  upstreamFailed.saying(`The request to Telegram failed: ${description}.`)
const rejectedProfile = defineError(
  409,
  "telegram_profile_rejected",
  "Telegram rejects a part of the bot's profile.",
  "Change the character's texts or picture, and rebrand the bot again."
)
/** `reason`: `profile_<part>_rejected`. */
export const profileRejected = (reason: string) =>
  rejectedProfile.saying(`Telegram rejects a part of the bot's profile: ${reason}.`)
export const telegramBusy = (seconds: number) =>
  upstreamFailed.saying("Telegram doesn't accept this change yet.").after(seconds)
