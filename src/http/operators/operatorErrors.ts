import { defineError } from "#src/http/server/catalogue.ts"
import { botNotFound, batchNotFound } from "#src/http/telegram/telegramErrors.ts"
import { channelNotFound, deliveryNotFound } from "#src/http/delivery/deliveryErrors.ts"
import { sessionNotFound } from "#src/http/conversation/conversationErrors.ts"
import { apiKeyNotFound, appNotFound } from "#src/http/tenancy/tenancyErrors.ts"

/** The errors of other domains, for somebody who sees all apps. */
export const anyAppNotFound = appNotFound.saying("There is no such app.", "List the apps with GET /admin/apps.")
export const anyKeyNotFound = apiKeyNotFound.saying(
  apiKeyNotFound.message,
  "List the app's keys with GET /admin/apps/{app_id}/api-keys."
)
export const anyBotNotFound = botNotFound.saying(
  "There is no such Telegram bot on this server.",
  "List the bots with GET /admin/bots."
)
export const anyBatchNotFound = batchNotFound.saying(
  "There is no such operator batch on this server.",
  batchNotFound.fix
)
export const anyChannelNotFound = channelNotFound.saying(
  "There is no such webhook on this server.",
  "List the webhooks with GET /admin/channels."
)
export const anyDeliveryNotFound = deliveryNotFound.saying(
  "There is no such delivery attempt, or it is no longer kept.",
  "Search for attempts with GET /admin/deliveries."
)
export const anySessionNotFound = sessionNotFound.saying(
  "There is no such session on this server.",
  "Search for sessions with GET /admin/sessions."
)

export const accountNotFound = defineError(
  404,
  "account_not_found",
  "There is no such account on this server.",
  "Search for the account in the console."
)

const changedSelection = defineError(
  409,
  "selection_changed",
  "The filter selects a different number of items than expected.",
  "Preview the selection again with dry_run: true, and repeat the request with the new number."
)
export const selectionChanged = (found: number) => changedSelection.saying(`The filter selects ${found} items now.`)
const largeSelection = defineError(
  409,
  "selection_too_large",
  "The filter selects too many items for one batch.",
  "Narrow the filter, for example to one app or state."
)
export const selectionTooLarge = (most: number) =>
  largeSelection.saying(`The filter selects more than ${most} items, which is the limit of a batch.`)
