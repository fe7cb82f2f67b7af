import * as Effect from "effect/Effect"
import type { OperationalNews } from "#channels/OperationalLog.ts"
import type { Update } from "#channels/telegram/Update.ts"
import { appendOperational } from "#src/db/delivery/appendOperational.ts"
import { Database } from "#src/db/postgres/Database.ts"
import type { StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import { ChatSessions } from "#src/db/telegram/ChatSessions.ts"
import { type Batch, Updates } from "#src/db/telegram/Updates.ts"

interface Payer {
  readonly channel_id: string
  readonly session_id: string | null
  readonly telegram_user_id: number
}
interface Payment {
  readonly personId: number
  readonly newsOf: (payer: Payer) => OperationalNews
}

const paymentOf = (update: Update): Payment | null => {
  const { message, pre_checkout_query: asked, purchased_paid_media: bought, subscription } = update
  if (asked !== undefined) {
    const { id: query_id, from, ...invoice } = asked
    return {
      personId: from.id,
      newsOf: (payer) => ({ type: "payment.pre_checkout", payload: { ...payer, query_id, ...invoice } })
    }
  }
  if (bought !== undefined) {
    const { from, paid_media_payload } = bought
    return {
      personId: from.id,
      newsOf: (payer) => ({ type: "payment.paid_media", payload: { ...payer, paid_media_payload } })
    }
  }
  if (subscription !== undefined) {
    const { user, ...about } = subscription
    return {
      personId: user.id,
      newsOf: (payer) => ({ type: "payment.subscription", payload: { ...payer, ...about } })
    }
  }
  const paid = message?.successful_payment
  return message?.from === undefined || paid === undefined
    ? null
    : {
        personId: message.from.id,
        newsOf: (payer) => ({ type: "payment.succeeded", payload: { ...payer, ...paid } })
      }
}

const tell = Effect.fnUntraced(function* (
  { app_id: appId, channel_id: channelId }: StoredBot,
  { personId, newsOf }: Payment
) {
  const sessionId = yield* ChatSessions.use((chats) =>
    chats.sessionOf({ appId, channelId, chatId: personId, threadId: 0 })
  )
  const news = newsOf({ channel_id: channelId, session_id: sessionId, telegram_user_id: personId })
  yield* appendOperational({ ...news, appId })
})

/**
 * Forwards payment updates to the app, which created the invoice and decides. The event for the app and the completion
 * of the update are one transaction, so the app gets each payment exactly once.
 */
export const relayPayment = Effect.fnUntraced(function* (bot: StoredBot, batch: Batch, update: Update) {
  const { transaction } = yield* Database
  yield* transaction(
    Effect.gen(function* () {
      const payment = paymentOf(update)
      const isFirst = yield* Updates.use((updates) => updates.done(batch))
      if (isFirst && payment !== null) yield* tell(bot, payment)
    })
  )
})
