import * as Schema from "effect/Schema"

/** What a message contains, and who wrote it: the same fields in a message and in one that it refers to. */
const optional = Schema.optionalKey

const Media = Schema.Struct({
  file_id: optional(Schema.String),
  file_size: optional(Schema.Number),
  duration: optional(Schema.Number),
  file_name: optional(Schema.String),
  mime_type: optional(Schema.String),
  title: optional(Schema.String),
  performer: optional(Schema.String)
})
export type Media = typeof Media.Type

const Location = Schema.Struct({ latitude: Schema.Number, longitude: Schema.Number })
const Items = Schema.Array(Schema.Struct({ text: Schema.String }))

/** In a group, who speaks instead of a person: the group itself for an anonymous admin, or a channel. */
export const SenderChat = Schema.Struct({ id: Schema.Int, title: optional(Schema.String) })

/** The chat of a story: a channel, or a person. */
const StoryChat = Schema.Struct({ ...SenderChat.fields, first_name: optional(Schema.String) })

/** The author of a message that somebody refers to. Telegram may hide them. */
const Author = Schema.Struct({ id: Schema.Int, first_name: optional(Schema.String) })

/** Where a message comes from: a user, one who hides their account, a chat or a channel. */
const Origin = Schema.Struct({
  type: optional(Schema.String),
  sender_user: optional(Author),
  sender_user_name: optional(Schema.String),
  sender_chat: optional(SenderChat),
  chat: optional(SenderChat),
  author_signature: optional(Schema.String)
})
export type Origin = typeof Origin.Type

/** What a message contains besides text. */
const MediaContent = Schema.Struct({
  photo: optional(Schema.Array(Schema.Unknown)),
  voice: optional(Media),
  video: optional(Media),
  video_note: optional(Media),
  animation: optional(Media),
  audio: optional(Media),
  document: optional(Media),
  sticker: optional(Schema.Struct({ emoji: optional(Schema.String) })),
  dice: optional(Schema.Struct({ emoji: Schema.String, value: Schema.Int })),
  venue: optional(
    Schema.Struct({ title: Schema.String, address: optional(Schema.String), location: optional(Location) })
  ),
  location: optional(Location),
  contact: optional(Schema.Struct({ first_name: Schema.String, last_name: optional(Schema.String) })),
  poll: optional(Schema.Struct({ question: Schema.String, options: optional(Items) })),
  checklist: optional(Schema.Struct({ title: optional(Schema.String), tasks: optional(Items) })),
  story: optional(Schema.Unknown),
  paid_media: optional(Schema.Unknown),
  game: optional(Schema.Struct({ title: optional(Schema.String) })),
  gift: optional(Schema.Unknown),
  unique_gift: optional(Schema.Unknown),
  invoice: optional(Schema.Struct({ title: optional(Schema.String) })),
  successful_payment: optional(Schema.Unknown),
  giveaway: optional(Schema.Struct({ prize_description: optional(Schema.String) })),
  giveaway_winners: optional(Schema.Struct({ prize_description: optional(Schema.String) })),
  web_app_data: optional(Schema.Struct({ button_text: optional(Schema.String), data: optional(Schema.String) })),
  users_shared: optional(
    Schema.Struct({ users: optional(Schema.Array(Schema.Struct({ first_name: optional(Schema.String) }))) })
  ),
  user_shared: optional(Schema.Unknown),
  chat_shared: optional(Schema.Struct({ title: optional(Schema.String) })),
  // Documents of a person: what they contain is never read.
  passport_data: optional(Schema.Unknown)
})
/** `unsupported`: the field of the content, if its kind or its form is not known. */
export type MediaContent = typeof MediaContent.Type & { readonly unsupported?: string }

const wordFields = { text: optional(Schema.String), caption: optional(Schema.String) }
/** Where a message comes from, before version 7 of the Bot API. */
const OldOrigin = Schema.Struct({
  forward_from: optional(Author),
  forward_from_chat: optional(SenderChat),
  forward_signature: optional(Schema.String),
  forward_sender_name: optional(Schema.String),
  forward_date: optional(Schema.Int)
})
const senderFields = {
  sender_chat: optional(SenderChat),
  author_signature: optional(Schema.String),
  forward_origin: optional(Origin),
  ...OldOrigin.fields
}

/** A message with its origin in today's form. */
export const withOrigin = <A extends typeof OldOrigin.Type & { readonly forward_origin?: Origin }>(message: A): A => {
  const {
    forward_from: user,
    forward_from_chat: chat,
    forward_signature: signature,
    forward_sender_name: hidden
  } = message
  const isOld = user !== undefined || chat !== undefined || hidden !== undefined || message.forward_date !== undefined
  if (message.forward_origin !== undefined || !isOld) return message
  const forward_origin: Origin = {
    ...(user !== undefined && { sender_user: user }),
    ...(chat !== undefined && { chat }),
    ...(signature !== undefined && { author_signature: signature }),
    ...(hidden !== undefined && { sender_user_name: hidden })
  }
  return { ...message, forward_origin }
}

/** A message of the same chat that another one replies to. */
const Replied = Schema.Struct({ from: optional(Author), ...senderFields, ...wordFields, ...MediaContent.fields })
export type Replied = typeof Replied.Type & { readonly unsupported?: string }

/** Everything in a message that says what it contains, whose words these are, and which message it refers to. */
export const contentFields = {
  ...senderFields,
  ...wordFields,
  ...MediaContent.fields,
  reply_to_message: optional(Replied),
  external_reply: optional(Schema.Struct({ origin: optional(Origin), ...MediaContent.fields })),
  quote: optional(Schema.Struct({ text: Schema.String })),
  reply_to_story: optional(Schema.Struct({ chat: StoryChat }))
}
