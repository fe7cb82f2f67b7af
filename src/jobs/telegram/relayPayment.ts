import * as Effect from "effect/Effect"
import type { Update } from "#channels/telegram/Update.ts"
import { appendOperational } from "#src/db/delivery/appendOperational.ts"
import { Database } from "#src/db/postgres/Database.ts"
import type { StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import { ChatSessions } from "#src/db/telegram/ChatSessions.ts"
import { type Batch, Updates } from "#src/db/telegram/Updates.ts"

const paymentEventOf = ({ message, pre_checkout_query: asked, purchased_paid_media: bought, subscription }: Update) => {
  if (asked !== undefined) {
    const { id: query_id, from, ...invoice } = asked
    return { type: "payment.pre_checkout", personId: from.id, about: { query_id, ...invoice } } as const
  }
  if (bought !== undefined)
    return {
      type: "payment.paid_media",
      personId: bought.from.id,
      about: { paid_media_payload: bought.paid_media_payload }
    } as const
  if (subscription !== undefined) {
    const { user, ...about } = subscription
    return { type: "payment.subscription", personId: user.id, about } as const
  }
  const paid = message?.successful_payment
  return message?.from === undefined || paid === undefined
    ? null
    : ({ type: "payment.succeeded", personId: message.from.id, about: paid } as const)
}

type PaymentEvent = NonNullable<ReturnType<typeof paymentEventOf>>

const tell = Effect.fnUntraced(function* (
  { app_id: appId, channel_id: channelId }: StoredBot,
  { type, personId, about }: PaymentEvent
) {
  const sessionId = yield* ChatSessions.use((chats) =>
    chats.sessionOf({ appId, channelId, chatId: personId, threadId: 0 })
  )
  yield* appendOperational({
    appId,
    type,
    payload: { channel_id: channelId, session_id: sessionId, telegram_user_id: personId, ...about }
  })
})

/**
 * Forwards payment updates to the app, which created the invoice and decides. The event for the app and the completion
 * of the update are one transaction, so the app gets each payment exactly once.
 */
export const relayPayment = Effect.fnUntraced(function* (bot: StoredBot, batch: Batch, update: Update) {
  const { transaction } = yield* Database
  yield* transaction(
    Effect.gen(function* () {
      const news = paymentEventOf(update)
      const isFirst = yield* Updates.use((updates) => updates.done(batch))
      if (isFirst && news !== null) yield* tell(bot, news)
    })
  )
})
