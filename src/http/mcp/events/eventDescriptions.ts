import type * as z from "zod"
import type { eventType } from "#src/http/conversation/eventSchemas.ts"

/** What a model or a person who chooses among the event types reads about each. */
export const EVENT_DESCRIPTIONS: Readonly<Record<z.output<typeof eventType>, string>> = {
  "message.created": "A message of a person (role user), or a complete reply of a character (role character)",
  "message.edited": "A person edited a message in Telegram after it was answered",
  "message.failed": "A turn failed: there is no reply to this message",
  "run.status": "A reply is being generated. It may not follow",
  "character.initiated": "The character wrote first",
  "image.ready": "A character sent a picture",
  "session.exited": "The character has left this session for good",
  "relationship_score.changed": "Scores of the relationship changed, if the app has opted in",
  "channel.notice": "A Telegram bot sent a message of its own",
  "budget.warning": "A budget of the app is almost or completely used",
  "character.not_ready": "A person wrote in Telegram to a character that is not ready",
  "delivery.unknown": "Whether a message arrived is unknown",
  "delivery.delayed": "A delivery is late",
  "chat.blocked": "A person blocked a Telegram bot",
  "chat.unblocked": "A person unblocked a Telegram bot",
  "chat.unreachable": "A Telegram chat can't be reached",
  "bot.active": "A Telegram bot works",
  "bot.degraded": "A Telegram bot has a problem",
  "bot.recovered": "A problem of a Telegram bot is over",
  "bot.revoked": "The token of a Telegram bot was revoked",
  "bot.suspended": "A Telegram bot was suspended",
  "bot.detached": "A Telegram bot was detached",
  "bot.owner_changed": "A Telegram bot has a new owner",
  "bot.token_replaced": "The token of a Telegram bot was replaced",
  "app.suspended": "The operator suspended the app",
  "app.resumed": "The operator resumed the app",
  "telegram.held": "The operator stopped the app's Telegram bots",
  "telegram.released": "The operator released the app's Telegram bots",
  "payment.pre_checkout": "A person confirmed a payment in Telegram, which waits for the app's answer",
  "payment.succeeded": "A payment in Telegram went through",
  "payment.paid_media": "A person bought paid media in Telegram",
  "payment.subscription": "A subscription in Telegram changed"
}
