import type { InlineKeyboardMarkup, Message, ReplyKeyboardMarkup, ReplyParameters } from "@grammyjs/types"
import type { Call } from "./Method.ts"
import type { ChatState } from "./ChatState.ts"
import { badRequest } from "./Refusal.ts"
import { reach } from "./reach.ts"

type Content = Partial<Omit<Message, "message_id" | "chat" | "date">>

const LONGEST_CALLBACK_DATA = 64

/** The keyboard, as far as it is checked here. */
export const readInlineKeyboard = (call: Call): InlineKeyboardMarkup | undefined => {
  const markup = call.parameters.json<Partial<InlineKeyboardMarkup>>("reply_markup")
  if (markup?.inline_keyboard === undefined || markup.inline_keyboard.length === 0) return undefined
  for (const button of markup.inline_keyboard.flat()) {
    const data = "callback_data" in button ? Buffer.byteLength(button.callback_data) : 1
    if (data < 1 || data > LONGEST_CALLBACK_DATA) throw badRequest("BUTTON_DATA_INVALID")
  }
  return { inline_keyboard: markup.inline_keyboard }
}

const openKeyboard = (call: Call, chatState: ChatState): void => {
  const markup = call.parameters.json<Partial<ReplyKeyboardMarkup> & { readonly remove_keyboard?: true }>(
    "reply_markup"
  )
  if (markup?.keyboard !== undefined) chatState.keyboard = { ...markup, keyboard: markup.keyboard }
  if (markup?.remove_keyboard === true) chatState.keyboard = undefined
}

export const withoutReply = (message: Message): NonNullable<Message["reply_to_message"]> => {
  const { reply_to_message: _, ...rest } = message
  return rest as NonNullable<Message["reply_to_message"]>
}

const replyOf = ({ parameters }: Call, chatState: ChatState): Content => {
  const asked = parameters.json<ReplyParameters>("reply_parameters") ?? {
    message_id: parameters.integer("reply_to_message_id"),
    allow_sending_without_reply: parameters.boolean("allow_sending_without_reply")
  }
  const { message_id: id = 0 } = asked
  if (id <= 0) return {}
  const message = chatState.messages.get(id)
  if (message === undefined) {
    if (asked.allow_sending_without_reply === true) return {}
    throw badRequest("message to be replied not found")
  }
  if (asked.quote === undefined) return { reply_to_message: withoutReply(message) }
  const position = (message.text ?? message.caption ?? "").indexOf(asked.quote)
  if (position === -1) throw badRequest("QUOTE_TEXT_INVALID")
  return { reply_to_message: withoutReply(message), quote: { text: asked.quote, position, is_manual: true } }
}

/** The topic of a call, if it has one. */
export const threadOf = (
  { parameters }: Call,
  chatState: ChatState
): Pick<Content, "message_thread_id" | "is_topic_message"> => {
  const id = parameters.integer("message_thread_id")
  if (id <= 0) return {}
  const topic = chatState.topics.get(id)
  if (topic === undefined) throw badRequest("message thread not found")
  if (topic.isClosed) throw badRequest("TOPIC_CLOSED")
  return { message_thread_id: id, is_topic_message: true }
}

export interface Destination {
  readonly chatState: ChatState
  readonly envelope: Content
}

/** The destination of a call, resolved before its content is read. */
export const destination = (call: Call): Destination => {
  const chatState = reach(call, "write")
  return {
    chatState,
    envelope: {
      ...threadOf(call, chatState),
      ...replyOf(call, chatState),
      ...(call.parameters.boolean("protect_content") && { has_protected_content: true as const })
    }
  }
}

/** Posts a message of the bot in a chat. Ends its typing indicator or draft there. */
export const send = <C extends Content>(call: Call, { chatState, envelope }: Destination, content: C): Message & C => {
  const { bot, world } = call
  const keyboard = readInlineKeyboard(call)
  openKeyboard(call, chatState)
  chatState.activities.delete(bot.id)
  chatState.drafts.delete(bot.id)
  const message = {
    ...chatState.add({
      from: bot.user,
      date: world.clock.seconds(),
      ...envelope,
      ...content,
      ...(keyboard !== undefined && { reply_markup: keyboard })
    }),
    ...content
  }
  world.changed()
  return message
}
