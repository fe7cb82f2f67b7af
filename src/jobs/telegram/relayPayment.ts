import * as Effect from "effect/Effect"
import { OperationalLog } from "#channels/OperationalLog.ts"
import type { Update } from "#channels/telegram/Update.ts"
import type { StoredBot } from "#src/db/telegram/BotRows.ts"
import { Conversations } from "#src/db/telegram/Conversations.ts"

const newsOf = ({ message, pre_checkout_query: asked, purchased_paid_media: bought, subscription }: Update) => {
  if (asked !== undefined) {
    const { id: query_id, from, ...invoice } = asked
    return { type: "payment.pre_checkout", personId: from.id, about: { query_id, ...invoice } } as const
  }
  if (bought !== undefined) return { type: "payment.paid_media", personId: bought.from.id, about: { paid_media_payload: bought.paid_media_payload } } as const
  if (subscription !== undefined) {
    const { user, ...about } = subscription
    return { type: "payment.subscription", personId: user.id, about } as const
  }
  const paid = message?.successful_payment
  return message?.from === undefined || paid === undefined ? null : { type: "payment.succeeded", personId: message.from.id, about: paid } as const
}

/** Payments are between a person and the app, which has made the invoice: it is told of them, and decides. */
export const relayPayment = Effect.fnUntraced(function*(bot: StoredBot, update: Update) {
  const news = newsOf(update)
  if (news === null) return
  const { app_id: appId, channel_id: channelId } = bot
  const sessionId = yield* Conversations.use((conversations) => conversations.sessionOf({ appId, channelId, chatId: news.personId, threadId: 0 }))
  yield* OperationalLog.use((log) => log.append({ appId, type: news.type, payload: { channel_id: channelId, session_id: sessionId, telegram_user_id: news.personId, ...news.about } }))
})
