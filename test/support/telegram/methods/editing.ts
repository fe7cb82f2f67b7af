import type { Message, ReactionType } from "@grammyjs/types"
import type { Call, Methods } from "../Method.ts"
import { DirectChat, type ChatState } from "../ChatState.ts"
import { badRequest } from "../Refusal.ts"
import { reach } from "../reach.ts"
import { readCaption, readText } from "../readText.ts"
import { readInlineKeyboard } from "../send.ts"

const MAX_DELETED = 100
const NOT_MODIFIED =
  "message is not modified: specified new message content and reply markup are exactly the same as a current " +
  "content and reply markup of the message"
const TOO_OLD = "query is too old and response timeout expired or query ID is invalid"

const find = (call: Call, chatState: ChatState, what: string): Message => {
  const id = call.parameters.integer("message_id")
  const message = id > 0 ? chatState.messages.get(id) : undefined
  if (message === undefined) throw badRequest(id > 0 ? `${what} not found` : "message identifier is not specified")
  return message
}

/** The bot's own message, which it may edit. */
const findOwn = (call: Call) => {
  const chatState = reach(call, "edit")
  const message = find(call, chatState, "message to edit")
  if (message.from?.id !== call.bot.id) throw badRequest("message can't be edited")
  return { place: chatState, message }
}

const visible = ({ caption = "", caption_entities = [], entities = [], reply_markup, text = "" }: Message) =>
  JSON.stringify({ text, entities, caption, caption_entities, reply_markup })

/** Replaces the old message with the new one. A keyboard that is not sent again is removed. */
const replace = (call: Call, chatState: ChatState, old: Message, content: Message): Message & { edit_date: number } => {
  const { reply_markup: _, ...rest } = content
  const markup = readInlineKeyboard(call)
  const edited = {
    ...rest,
    ...(markup !== undefined && { reply_markup: markup }),
    edit_date: call.world.clock.seconds()
  }
  if (visible(edited) === visible(old)) throw badRequest(NOT_MODIFIED)
  chatState.messages.set(old.message_id, edited)
  call.world.changed()
  return edited
}

const mayDelete = ({ bot }: Call, chatState: ChatState, message: Message) =>
  chatState instanceof DirectChat || message.from?.id === bot.id || chatState.bots.get(bot) === "administrator"

const remove = (chatState: ChatState, message: Message) => {
  chatState.messages.delete(message.message_id)
  chatState.reactions.delete(message.message_id)
}

type Editing =
  | "editMessageText"
  | "editMessageCaption"
  | "editMessageReplyMarkup"
  | "deleteMessage"
  | "deleteMessages"
  | "setMessageReaction"
  | "answerCallbackQuery"
  | "answerPreCheckoutQuery"

export const editing: Methods<Editing> = {
  editMessageText: (call) => {
    const { place: chatState, message } = findOwn(call)
    const { text, entities } = readText(call.parameters)
    if (message.text === undefined) throw badRequest("there is no text in the message to edit")
    const { entities: _, ...rest } = message
    return replace(call, chatState, message, {
      ...rest,
      text,
      ...(entities.length > 0 && { entities: [...entities] })
    }) as ReturnType<Methods<"editMessageText">["editMessageText"]>
  },

  editMessageCaption: (call) => {
    const { place: chatState, message } = findOwn(call)
    const caption = readCaption(call.parameters)
    if (message.text !== undefined) throw badRequest("there is no caption in the message to edit")
    const { caption: _, caption_entities: __, ...rest } = message
    return replace(call, chatState, message, {
      ...rest,
      ...(caption !== undefined && { caption: caption.text, caption_entities: [...caption.entities] })
    }) as ReturnType<Methods<"editMessageCaption">["editMessageCaption"]>
  },

  editMessageReplyMarkup: (call) => {
    const { place: chatState, message } = findOwn(call)
    return replace(call, chatState, message, message)
  },

  deleteMessage: (call) => {
    const chatState = reach(call, "edit")
    const message = find(call, chatState, "message to delete")
    if (!mayDelete(call, chatState, message)) throw badRequest("message can't be deleted")
    remove(chatState, message)
    call.world.changed()
    return true
  },

  deleteMessages: (call) => {
    const chatState = reach(call, "edit")
    const ids = call.parameters.json<ReadonlyArray<number>>("message_ids") ?? []
    if (ids.length === 0) throw badRequest("message identifiers are not specified")
    if (ids.length > MAX_DELETED) throw badRequest("too many message identifiers specified")
    for (const id of ids) {
      const message = chatState.messages.get(id)
      if (message !== undefined && mayDelete(call, chatState, message)) remove(chatState, message)
    }
    call.world.changed()
    return true
  },

  setMessageReaction: (call) => {
    const { bot, parameters, world } = call
    const chatState = reach(call, "write")
    const message = find(call, chatState, "message to react")
    const reactions = parameters.json<ReadonlyArray<ReactionType>>("reaction") ?? []
    if (reactions.length > 1) throw badRequest("REACTIONS_TOO_MANY")
    if (reactions.some(({ type }) => type === "paid")) throw badRequest("REACTION_INVALID")
    const known = chatState.reactions.get(message.message_id) ?? new Map<number, ReadonlyArray<ReactionType>>()
    chatState.reactions.set(message.message_id, known.set(bot.id, reactions))
    world.changed()
    return true
  },

  answerCallbackQuery: ({ bot, parameters, world }) => {
    const query = world.callbackQueries.get(parameters.text("callback_query_id"))
    if (query === undefined || query.botId !== bot.id || query.expiresAtMs < world.clock.nowMs())
      throw badRequest(TOO_OLD)
    query.answer = { text: parameters.text("text"), showAlert: parameters.boolean("show_alert") }
    world.changed()
    return true
  },

  answerPreCheckoutQuery: ({ bot, parameters, world }) => {
    const query = world.preCheckouts.get(parameters.text("pre_checkout_query_id"))
    if (
      query === undefined ||
      query.botId !== bot.id ||
      query.expiresAtMs < world.clock.nowMs() ||
      query.answer !== undefined
    )
      throw badRequest(TOO_OLD)
    const [ok, errorMessage] = [parameters.boolean("ok"), parameters.text("error_message")]
    if (!ok && errorMessage === "") throw badRequest("error message must be non-empty")
    query.answer = { ok, errorMessage }
    world.changed()
    return true
  }
}
