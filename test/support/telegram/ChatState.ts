import type { Chat, Message, ReactionType, ReplyKeyboardMarkup, User } from "@grammyjs/types"
import { randomInt } from "node:crypto"
import type { Bot } from "./Bot.ts"

export interface Activity {
  readonly action: string
  readonly threadId: number | undefined
  readonly untilMs: number
}

export interface Draft {
  readonly id: number
  readonly text: string
  readonly threadId: number | undefined
  readonly canStop: boolean
  readonly untilMs: number
}

export interface Topic {
  readonly name: string
  isClosed: boolean
}

/** A place for messages: a private chat of a bot, or a group. */
abstract class Conversation {
  readonly messages = new Map<number, Message>()
  readonly reactions = new Map<number, Map<number, ReadonlyArray<ReactionType>>>()
  readonly topics = new Map<number, Topic>()
  /** The visible activity of each bot. */
  readonly activities = new Map<number, Activity>()
  readonly drafts = new Map<number, Draft>()
  /** The open reply keyboard. */
  keyboard: ReplyKeyboardMarkup | undefined

  abstract readonly id: number
  abstract readonly chat: Exclude<Chat, Chat.ChannelChat>
  abstract nextMessageId(): number

  add(content: Omit<Message, "message_id" | "chat">): Message {
    const message: Message = { message_id: this.nextMessageId(), chat: this.chat, ...content }
    this.messages.set(message.message_id, message)
    return message
  }
}

export class Person {
  readonly user: User
  isDeactivated = false

  constructor(user: User) {
    this.user = user
  }

  get id(): number {
    return this.user.id
  }
}

export class DirectChat extends Conversation {
  readonly bot: Bot
  readonly person: Person
  isBlocked = false

  constructor(bot: Bot, person: Person) {
    super()
    this.bot = bot
    this.person = person
  }

  get id(): number {
    return this.person.id
  }

  get chat(): Chat.PrivateChat {
    const { id, first_name, last_name, username } = this.person.user
    return {
      id,
      first_name,
      ...(last_name !== undefined && { last_name }),
      ...(username !== undefined && { username }),
      type: "private"
    }
  }

  nextMessageId(): number {
    return this.bot.nextMessageId()
  }
}

export type Membership = "member" | "administrator" | "muted" | "left" | "kicked"

export class Group extends Conversation {
  readonly id: number
  readonly type: "group" | "supergroup"
  title: string
  readonly username: string | undefined
  readonly isForum: boolean
  readonly bots = new Map<Bot, Membership>()
  readonly people = new Map<number, Person>()
  migratedTo: Group | undefined
  isDeleted = false
  #lastMessageId = 0

  constructor(options: {
    readonly type: "group" | "supergroup"
    readonly title: string
    readonly username?: string
    readonly isForum?: boolean
  }) {
    super()
    this.type = options.type
    this.title = options.title
    this.username = options.username
    this.isForum = options.isForum ?? false
    this.id =
      options.type === "group"
        ? -randomInt(100_000_000, 4_000_000_000)
        : -(1_000_000_000_000 + randomInt(1_000_000_000, 3_000_000_000))
  }

  get chat(): Chat.GroupChat | Chat.SupergroupChat {
    const { id, title, username } = this
    if (this.type === "group") return { id, title, type: "group" }
    return {
      id,
      title,
      ...(username !== undefined && { username }),
      type: "supergroup",
      ...(this.isForum && { is_forum: true })
    }
  }

  /** Also for a basic group, where Telegram counts per account, which makes no difference with one bot. */
  nextMessageId(): number {
    this.#lastMessageId += 1
    return this.#lastMessageId
  }

  isMember(bot: Bot): boolean {
    const membership = this.bots.get(bot)
    return membership === "member" || membership === "administrator" || membership === "muted"
  }
}

export type ChatState = DirectChat | Group
