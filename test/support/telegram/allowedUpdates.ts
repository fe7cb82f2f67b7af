import type { UpdateKind } from "./UpdateQueue.ts"

const ON_REQUEST: ReadonlyArray<UpdateKind> = ["chat_member", "message_reaction", "message_reaction_count"]
const BY_DEFAULT: ReadonlyArray<UpdateKind> = [
  "message",
  "edited_message",
  "channel_post",
  "edited_channel_post",
  "business_connection",
  "business_message",
  "edited_business_message",
  "deleted_business_messages",
  "guest_message",
  "stopped_message_generation",
  "inline_query",
  "chosen_inline_result",
  "callback_query",
  "shipping_query",
  "pre_checkout_query",
  "purchased_paid_media",
  "poll",
  "poll_answer",
  "my_chat_member",
  "chat_join_request",
  "chat_boost",
  "removed_chat_boost",
  "managed_bot",
  "subscription"
]

export const DEFAULT_UPDATES: ReadonlySet<UpdateKind> = new Set(BY_DEFAULT)

/** The kinds that a list requests. An empty one means the default, and unknown kinds are ignored. */
export const allowedUpdates = (asked: ReadonlyArray<string>): ReadonlySet<UpdateKind> => {
  const known = [...BY_DEFAULT, ...ON_REQUEST].filter((kind) => asked.includes(kind))
  return known.length === 0 ? DEFAULT_UPDATES : new Set(known)
}
