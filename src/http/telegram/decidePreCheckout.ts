import * as Effect from "effect/Effect"
import type * as z from "zod"
import type { StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import { answerPreCheckout } from "./telegramBot.ts"
import type { PreCheckoutAnswer } from "./telegramSchemas.ts"
import { preCheckoutOver, telegramUnavailable } from "./telegramErrors.ts"

/** Used if the app gives no text of its own. */
const REFUSED = "This payment is not possible right now."

/** Tells Telegram whether a payment may proceed. */
export const decidePreCheckout = (
  bot: StoredBot,
  { query_id, ok, error_message = REFUSED }: z.output<typeof PreCheckoutAnswer>
) =>
  answerPreCheckout(bot, { pre_checkout_query_id: query_id, ok, ...(!ok && { error_message }) }).pipe(
    Effect.catchIf(
      (error) => error._tag === "BotApiError" && error.status === 400,
      () => Effect.fail(preCheckoutOver)
    ),
    Effect.catchTag("BotApiError", ({ description }) => Effect.fail(telegramUnavailable(description)))
  )
