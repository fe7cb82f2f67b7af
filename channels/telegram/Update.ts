import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { enable } from "effect/schema/SchemaJITCompiler"
import { isTooDeep } from "#pipeline/isTooDeep.ts"
import { contentFields, type Replied, withOrigin } from "./content.ts"
import { unknownContent } from "./unknownContent.ts"

/** The part of an update that we read. Other fields and other kinds of updates are ignored. */
const optional = Schema.optionalKey
const User = Schema.Struct({
  id: Schema.Int,
  is_bot: Schema.Boolean,
  first_name: Schema.String,
  language_code: optional(Schema.String)
})
export type User = typeof User.Type

const Chat = Schema.Struct({ id: Schema.Int, type: Schema.String, title: optional(Schema.String) })
export type Chat = typeof Chat.Type

const Entity = Schema.Struct({ type: Schema.String, offset: Schema.Int, length: Schema.Int })

const MessageFields = Schema.Struct({
  message_id: Schema.Int,
  chat: Chat,
  from: optional(User),
  is_automatic_forward: optional(Schema.Boolean),
  message_thread_id: optional(Schema.Int),
  is_topic_message: optional(Schema.Boolean),
  entities: optional(Schema.Array(Entity)),
  caption_entities: optional(Schema.Array(Entity)),
  media_group_id: optional(Schema.String),
  ...contentFields,
  migrate_to_chat_id: optional(Schema.Int),
  migrate_from_chat_id: optional(Schema.Int),
  successful_payment: optional(
    Schema.Struct({
      currency: Schema.String,
      total_amount: Schema.Int,
      invoice_payload: Schema.String,
      telegram_payment_charge_id: Schema.String,
      provider_payment_charge_id: Schema.String,
      is_recurring: optional(Schema.Boolean),
      subscription_expiration_date: optional(Schema.Int)
    })
  )
})
/** `unsupported`: the field of the content, if its kind or its form is not known. */
export type Message = Omit<typeof MessageFields.Type, "reply_to_message"> & {
  readonly unsupported?: string
  readonly reply_to_message?: Replied
}

const Member = Schema.Struct({ chat: Chat, from: User, new_chat_member: Schema.Struct({ status: Schema.String }) })
export type Member = typeof Member.Type

const Button = Schema.Struct({ text: Schema.String, callback_data: optional(Schema.String) })
const Callback = Schema.Struct({
  id: Schema.String,
  from: User,
  data: optional(Schema.String),
  message: optional(
    Schema.Struct({
      ...MessageFields.fields,
      reply_markup: optional(Schema.Struct({ inline_keyboard: Schema.Array(Schema.Array(Button)) }))
    })
  )
})
export type Callback = typeof Callback.Type

const Stopped = Schema.Struct({ chat: Chat, message_thread_id: optional(Schema.Int) })

const PreCheckout = Schema.Struct({
  id: Schema.String,
  from: User,
  currency: Schema.String,
  total_amount: Schema.Int,
  invoice_payload: Schema.String
})
const PaidMedia = Schema.Struct({ from: User, paid_media_payload: Schema.String })
const Subscription = Schema.Struct({ user: User, invoice_payload: Schema.String, state: Schema.String })

export const Update = Schema.Struct({
  update_id: Schema.Int,
  message: optional(MessageFields),
  edited_message: optional(MessageFields),
  callback_query: optional(Callback),
  my_chat_member: optional(Member),
  stopped_message_generation: optional(Stopped),
  pre_checkout_query: optional(PreCheckout),
  purchased_paid_media: optional(PaidMedia),
  subscription: optional(Subscription)
})
export type Update = Omit<typeof Update.Type, "message" | "edited_message"> & {
  readonly message?: Message
  readonly edited_message?: Message
}

// Compiled, because every incoming update is decoded with it.
enable(Update.ast)
const decode = Schema.decodeUnknownOption(Update)
const decodeId = Schema.decodeUnknownOption(Schema.Struct({ update_id: Schema.Int }))

/**
 * `text`: a person's message, which may be answered together with the next one. `edit`: an edited message. `command`,
 * `callback`, `member`, `stop`, `payment`, `service`: handled separately. `other`: ignored.
 */
export type UpdateKind = "text" | "edit" | "command" | "callback" | "member" | "stop" | "payment" | "service" | "other"

/** What is known before decoding everything: the kind of update, and the queue that it belongs to. */
export interface FirstLook {
  readonly updateId: number
  readonly kind: UpdateKind
  readonly chatId: number
  readonly threadId: number
  readonly senderId: number | null
  /** For a person's message. */
  readonly messageId: number | null
  readonly album: string | null
}

/** The topic of a message. 0: none. A thread that is not a topic is only a reply to a reply. */
export const threadOf = ({ is_topic_message, message_thread_id }: Message): number =>
  is_topic_message === true ? (message_thread_id ?? 0) : 0

/** Anything else that begins with a slash is ordinary text. */
const COMMAND = /^\/[A-Za-z0-9_]{1,32}(?:@\w+)?(?!\S)/

/** The form of Telegram's album ids. Other values are not album ids. */
const ALBUM = /^[\w-]{1,64}$/
const albumOf = ({ media_group_id: id }: Message): string | null => (id !== undefined && ALBUM.test(id) ? id : null)

/**
 * Whether a person wrote a message. Anonymous admins and channels that speak in a group are people, although Telegram
 * names a bot as the sender. What a group repeats from its channel is no message to anybody.
 */
const isOfAPerson = ({ chat, from, sender_chat: speaker, is_automatic_forward: isRepeated }: Message): boolean =>
  speaker === undefined
    ? from?.is_bot === false
    : (chat.type === "group" || chat.type === "supergroup") && isRepeated !== true

/** Who speaks: a person, the group of an anonymous admin, or a channel. */
export const speakerIdOf = ({ from, sender_chat: senderChat }: Message): number | null =>
  senderChat?.id ?? from?.id ?? null

const kindOfMessage = (message: Message): UpdateKind => {
  if (message.migrate_to_chat_id !== undefined || message.migrate_from_chat_id !== undefined) return "service"
  if (!isOfAPerson(message)) return "other"
  if (message.successful_payment !== undefined) return "payment"
  // A forwarded command was given to somebody else.
  return COMMAND.test(message.text ?? "") && message.forward_origin === undefined ? "command" : "text"
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null
const withUnsupported = <A extends object>(content: A, raw: unknown): A & { readonly unsupported?: string } => {
  const unsupported = isObject(raw) ? unknownContent(raw, content) : undefined
  return unsupported === undefined ? content : { ...content, unsupported }
}
const messageOf = (message: typeof MessageFields.Type, raw: unknown): Message => {
  const { reply_to_message: replied, ...rest } = withOrigin(withUnsupported(message, raw))
  if (replied === undefined) return rest
  const rawReply = isObject(raw) ? raw["reply_to_message"] : undefined
  return { ...rest, reply_to_message: withOrigin(withUnsupported(replied, rawReply)) }
}

/** Fields without which a message has no place or no sender, so that it cannot be read. */
const NEEDED: ReadonlySet<string> = new Set([
  "message_id",
  "chat",
  "from",
  "sender_chat",
  "migrate_to_chat_id",
  "migrate_from_chat_id"
])
const OPTIONAL_FIELDS: ReadonlyMap<string, (message: unknown) => boolean> = new Map(
  Object.entries(MessageFields.fields)
    .filter(([name]) => !NEEDED.has(name))
    .map(([name, field]) => {
      const decodeField = Schema.decodeUnknownOption(Schema.Struct({ [name]: field }))
      return [name, (message) => Option.isSome(decodeField(message))]
    })
)
/** What a message refers to, which has content of its own. */
const REFERENCES: ReadonlySet<string> = new Set(["reply_to_message", "external_reply"])

/** A message without what is of a form that we cannot read. That it is forwarded remains: its words are of others. */
const readable = (message: unknown, isReference = false): unknown => {
  if (!isObject(message)) return message
  const fields = Object.entries(message).map(
    ([name, value]) => [name, REFERENCES.has(name) && !isReference ? readable(value, true) : value] as const
  )
  const isRead = ([name, value]: readonly [string, unknown]) => OPTIONAL_FIELDS.get(name)?.({ [name]: value }) ?? true
  const isOfOthers = fields.some((field) => field[0].startsWith("forward_") && !isRead(field))
  return Object.fromEntries([...(isOfOthers ? [["forward_origin", {}] as const] : []), ...fields.filter(isRead)])
}

const decodeLoosely = (raw: unknown): Option.Option<typeof Update.Type> => {
  const update = decode(raw)
  if (Option.isSome(update) || !isObject(raw)) return update
  const { message, edited_message: edited, callback_query: callback } = raw
  return decode({
    ...raw,
    ...(message !== undefined && { message: readable(message) }),
    ...(edited !== undefined && { edited_message: readable(edited) }),
    ...(isObject(callback) &&
      callback["message"] !== undefined && { callback_query: { ...callback, message: readable(callback["message"]) } })
  })
}

/** Undefined: it is not an update. */
export const readUpdate = (raw: unknown): Update | undefined => {
  const update = Option.getOrUndefined(decodeLoosely(raw))
  if (update === undefined) return undefined
  const { message, edited_message: edited } = raw as Record<string, unknown>
  const { message: said, edited_message: changed, ...rest } = update
  return {
    ...rest,
    ...(said !== undefined && { message: messageOf(said, message) }),
    ...(changed !== undefined && { edited_message: messageOf(changed, edited) })
  }
}

/** Maximum nesting of arrays and objects: many times what an update has, and far below the database's limit. */
const DEEPEST = 500

/** Undefined: it is not an update. */
export const lookAt = (raw: unknown): FirstLook | undefined => {
  if (isTooDeep(raw, DEEPEST)) return undefined
  const update = readUpdate(raw)
  if (update === undefined) {
    return Option.getOrUndefined(
      Option.map(decodeId(raw), ({ update_id }) => ({
        updateId: update_id,
        kind: "other",
        chatId: 0,
        threadId: 0,
        senderId: null,
        messageId: null,
        album: null
      }))
    )
  }
  const {
    update_id: updateId,
    message,
    edited_message: edited,
    callback_query: callback,
    my_chat_member: member,
    stopped_message_generation: stopped
  } = update
  const plain = { updateId, threadId: 0, senderId: null, messageId: null, album: null }
  if (message !== undefined) {
    return {
      updateId,
      kind: kindOfMessage(message),
      chatId: message.chat.id,
      threadId: threadOf(message),
      senderId: speakerIdOf(message),
      messageId: message.message_id,
      album: albumOf(message)
    }
  }
  if (edited !== undefined) {
    // A live location that moves is not an edit of text.
    const isEdit = kindOfMessage(edited) === "text" && (edited.text ?? edited.caption) !== undefined
    return {
      ...plain,
      kind: isEdit ? "edit" : "other",
      chatId: edited.chat.id,
      threadId: threadOf(edited),
      senderId: speakerIdOf(edited)
    }
  }
  if (callback !== undefined)
    return { ...plain, kind: "callback", chatId: callback.message?.chat.id ?? callback.from.id }
  if (member !== undefined) return { ...plain, kind: "member", chatId: member.chat.id }
  if (stopped !== undefined)
    return { ...plain, kind: "stop", chatId: stopped.chat.id, threadId: stopped.message_thread_id ?? 0 }
  // Telegram waits ten seconds for the answer to a payment query, so it does not wait in the chat's queue behind slower
  // updates.
  const payer = update.pre_checkout_query?.from ?? update.purchased_paid_media?.from ?? update.subscription?.user
  return { ...plain, kind: payer === undefined ? "other" : "payment", chatId: 0, senderId: payer?.id ?? null }
}
