import type { InlineKeyboardButton, Message, ReactionType } from "@grammyjs/types"
import { Bot } from "../Bot.ts"
import { findEntities } from "../findEntities.ts"
import { hears } from "../hears.ts"
import { FOLDERS, type MediaFacts, type MediaKind, mediaContent } from "../media.ts"
import { DirectChat, type Group, type Person, type ChatState } from "../ChatState.ts"
import { withoutReply } from "../send.ts"
import type { World } from "../World.ts"

/** Where a person writes: to a bot, or in a group. */
export type Spot = Bot | Group

export interface PostOptions {
  readonly replyTo?: Message
  readonly thread?: number
}

export interface MediaOptions extends PostOptions, MediaFacts {
  readonly bytes?: Buffer
  /** Claims a size without having as many bytes. */
  readonly size?: number
  readonly name?: string
  readonly type?: string
  readonly caption?: string
  /** The same for all pictures of an album. */
  readonly album?: string
}

const button = ({ reply_markup: markup }: Message, label: string): InlineKeyboardButton => {
  const found = markup?.inline_keyboard
    .flat()
    .find(
      (candidate) => candidate.text === label || ("callback_data" in candidate && candidate.callback_data === label)
    )
  if (found === undefined) throw new Error(`the message has no button ${JSON.stringify(label)}`)
  return found
}

const textContent = (text: string): Partial<Message> => {
  const entities = findEntities(text)
  return { text, ...(entities.length > 0 && { entities: [...entities] }) }
}

/** Actions of people in their chats. Each one reaches the bots as Telegram would deliver it. */
export const peopleControl = (world: World) => {
  const placeOf = (person: Person, spot: Spot): ChatState => {
    if (!(spot instanceof Bot)) return spot
    const chat = world.startDirect(spot, person)
    if (chat.isBlocked) throw new Error(`${person.user.first_name} has blocked ${spot.username}`)
    return chat
  }

  const listeners = (chatState: ChatState, person: Person, message: Message): ReadonlyArray<Bot> => {
    const bots =
      chatState instanceof DirectChat
        ? [chatState.bot]
        : [...chatState.bots.keys()].filter((bot) => hears(bot, chatState, message))
    return bots.filter((bot) => bot.admits(person.id))
  }

  const post = (
    person: Person,
    spot: Spot,
    { replyTo, thread }: PostOptions,
    content: (bot: Bot) => Partial<Message>
  ): Message => {
    const chatState = placeOf(person, spot)
    const [anyBot] = chatState instanceof DirectChat ? [chatState.bot] : chatState.bots.keys()
    if (anyBot === undefined) throw new Error("there is no bot in the group")
    const message = chatState.add({
      from: person.user,
      date: world.clock.seconds(),
      ...(thread !== undefined && { message_thread_id: thread, is_topic_message: true }),
      ...(replyTo !== undefined && { reply_to_message: withoutReply(replyTo) }),
      ...content(anyBot)
    })
    chatState.keyboard = chatState.keyboard?.one_time_keyboard === true ? undefined : chatState.keyboard
    for (const bot of listeners(chatState, person, message)) {
      world.push(
        bot,
        "message",
        { ...message, ...content(bot), chat: chatState.chat, from: person.user },
        `message:${chatState.id}`
      )
    }
    world.changed()
    return message
  }

  const memberUpdate = (chat: DirectChat, isBlocked: boolean) => {
    const user = chat.bot.user
    const [member, kicked] = [
      { status: "member" as const, user },
      { status: "kicked" as const, user, until_date: 0 }
    ]
    chat.isBlocked = isBlocked
    world.push(
      chat.bot,
      "my_chat_member",
      {
        chat: chat.chat,
        from: chat.person.user,
        date: world.clock.seconds(),
        old_chat_member: isBlocked ? member : kicked,
        new_chat_member: isBlocked ? kicked : member
      },
      `my_chat_member:${chat.id}`
    )
    world.changed()
  }

  const say = (person: Person, spot: Spot, text: string, options: PostOptions = {}): Message =>
    post(person, spot, options, () => textContent(text))

  const directOf = (person: Person, bot: Bot): DirectChat => {
    const chat = world.direct(bot, person.id)
    if (chat === undefined) throw new Error(`${person.user.first_name} has never started ${bot.username}`)
    return chat
  }

  return {
    /** Writes to a bot (which starts it) or in a group. */
    say,

    /** Presses Start, with the payload of a t.me link if there is one. */
    start: (person: Person, bot: Bot, payload?: string): Message => {
      const chat = world.startDirect(bot, person)
      if (chat.isBlocked) memberUpdate(chat, false)
      return say(person, bot, payload === undefined ? "/start" : `/start ${payload}`)
    },

    sendMedia: (person: Person, spot: Spot, kind: MediaKind, options: MediaOptions = {}): Message => {
      const { album, bytes = Buffer.from("fake file"), caption, name, size, type } = options
      const file = world.files.add(FOLDERS[kind], bytes, {
        ...(name !== undefined && { name }),
        ...(type !== undefined && { type }),
        ...(size !== undefined && { size })
      })
      return post(person, spot, options, (bot) => ({
        ...mediaContent(world.files, bot, kind, file, options),
        ...(caption !== undefined && { caption }),
        ...(album !== undefined && { media_group_id: album })
      }))
    },

    /** Deletes the file of a voice message. The message still refers to it. */
    forgetFile: ({ voice }: Message, bot: Bot): void => {
      const file = world.files.find(bot, voice?.file_id ?? "")
      if (file === undefined) throw new Error("the message has no such file")
      world.files.lose(file)
    },

    /** Sends any other content: a location, a contact, a service message. */
    sendContent: (person: Person, spot: Spot, content: Partial<Message>, options: PostOptions = {}): Message =>
      post(person, spot, options, () => content),

    edit: (person: Person, spot: Spot, message: Message, text: string): Message => {
      const chatState = placeOf(person, spot)
      const { entities: _, ...rest } = chatState.messages.get(message.message_id) ?? message
      const edited = {
        ...rest,
        ...textContent(text),
        chat: chatState.chat,
        from: person.user,
        edit_date: world.clock.seconds()
      }
      chatState.messages.set(message.message_id, edited)
      for (const bot of listeners(chatState, person, edited))
        world.push(bot, "edited_message", edited, `message:${chatState.id}`)
      world.changed()
      return edited
    },

    /** Presses a button under a message, named by its text or its data. Returns the id of the callback query. */
    press: (person: Person, spot: Spot, message: Message, label: string): string => {
      const chatState = placeOf(person, spot)
      const current = chatState.messages.get(message.message_id) ?? message
      const pressed = button(current, label)
      const bot = world.bots.get(current.from?.id ?? 0)
      if (bot === undefined || !("callback_data" in pressed))
        throw new Error(`the button ${JSON.stringify(label)} tells no bot`)
      const id = world.newCallbackQuery(bot)
      world.push(
        bot,
        "callback_query",
        { id, from: person.user, message: current, chat_instance: String(chatState.id), data: pressed.callback_data },
        `callback_query:${person.id}`
      )
      return id
    },

    /**
     * Pays an invoice of the bot, if the bot allows it: it gets a pre-checkout query first. Returns the id of that
     * query.
     */
    pay: (person: Person, bot: Bot, invoice: { readonly amount: number; readonly payload: string }): string => {
      const id = world.newPreCheckout(bot)
      world.push(
        bot,
        "pre_checkout_query",
        { id, from: person.user, currency: "XTR", total_amount: invoice.amount, invoice_payload: invoice.payload },
        `pre_checkout_query:${person.id}`
      )
      return id
    },

    /** Only bots that are administrators receive people's reactions, so never in private chats. */
    react: (person: Person, spot: Spot, message: Message, reaction: ReadonlyArray<ReactionType>): void => {
      const chatState = placeOf(person, spot)
      const known = chatState.reactions.get(message.message_id) ?? new Map<number, ReadonlyArray<ReactionType>>()
      const old = known.get(person.id) ?? []
      chatState.reactions.set(message.message_id, known.set(person.id, reaction))
      const told =
        chatState instanceof DirectChat
          ? []
          : [...chatState.bots].filter(([, membership]) => membership === "administrator").map(([bot]) => bot)
      for (const bot of told) {
        world.push(
          bot,
          "message_reaction",
          {
            chat: chatState.chat,
            message_id: message.message_id,
            user: person.user,
            date: world.clock.seconds(),
            old_reaction: [...old],
            new_reaction: [...reaction]
          },
          `message_reaction:${chatState.id}`
        )
      }
      world.changed()
    },

    block: (person: Person, bot: Bot): void => memberUpdate(directOf(person, bot), true),

    /** Only unblocks. The apps also send /start, see `start`. */
    unblock: (person: Person, bot: Bot): void => memberUpdate(directOf(person, bot), false),

    /** The person's account is deleted. */
    deactivate: (person: Person): void => {
      person.isDeactivated = true
    },

    /** Presses Stop on the bot's draft. */
    stopGeneration: (person: Person, bot: Bot): void => {
      const chat = directOf(person, bot)
      const draft = chat.drafts.get(bot.id)
      if (draft?.canStop !== true) throw new Error(`${bot.username} drafts nothing that can be stopped`)
      chat.drafts.delete(bot.id)
      world.push(
        bot,
        "stopped_message_generation",
        {
          chat: chat.chat,
          ...(draft.threadId !== undefined && { message_thread_id: draft.threadId }),
          draft_id: draft.id
        },
        `message:${chat.id}`
      )
      world.changed()
    }
  }
}
