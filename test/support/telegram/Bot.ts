import type { BotCommand, MenuButton, User, UserFromGetMe } from "@grammyjs/types"
import { randomBytes, randomInt } from "node:crypto"
import { Client } from "./Client.ts"
import type { Clock } from "./Clock.ts"
import type { StoredFile } from "./Files.ts"
import { UpdateQueue } from "./UpdateQueue.ts"

export interface BotOptions {
  readonly id?: number
  readonly username?: string
  readonly name?: string
  readonly can_join_groups?: boolean
  /** Privacy mode off. */
  readonly can_read_all_group_messages?: boolean
  readonly has_topics_enabled?: boolean
  /** Bot Management Mode, as enabled in @BotFather. */
  readonly can_manage_bots?: boolean
}

/** The public profile of a bot, by language code. "" is the default. */
interface Profile {
  readonly names: Map<string, string>
  readonly descriptions: Map<string, string>
  readonly shortDescriptions: Map<string, string>
  readonly commands: Map<string, ReadonlyArray<BotCommand>>
  readonly menuButtons: Map<number, MenuButton>
  photo: StoredFile | undefined
}

export interface Management {
  readonly managerId: number
  ownerId: number
  isRestricted: boolean
  addedUserIds: ReadonlyArray<number>
}

const newToken = (id: number) => `${id}:AA${randomBytes(25).toString("base64url").slice(0, 33)}`

export class Bot {
  readonly id: number
  readonly username: string
  readonly updates: UpdateQueue
  readonly profile: Profile
  /** Set if another bot manages this one. */
  management: Management | undefined
  client: Client
  /** Suspended by Telegram: it may read, but not write. */
  isFrozen = false
  readonly #options: BotOptions
  readonly #clock: Clock
  #lastMessageId = 0

  constructor(options: BotOptions, clock: Clock) {
    this.#options = options
    this.#clock = clock
    this.id = options.id ?? randomInt(1_000_000_000, 9_000_000_000)
    this.username = options.username ?? `fake_${this.id}_bot`
    this.updates = new UpdateQueue(clock)
    this.client = new Client(this, newToken(this.id), clock)
    const name = options.name ?? this.username
    this.profile = {
      names: new Map([["", name]]),
      descriptions: new Map(),
      shortDescriptions: new Map(),
      commands: new Map(),
      menuButtons: new Map(),
      photo: undefined
    }
  }

  get token(): string {
    return this.client.token
  }

  get user(): User {
    return {
      id: this.id,
      is_bot: true,
      first_name: this.profile.names.get("") ?? this.username,
      username: this.username
    }
  }

  get me(): UserFromGetMe {
    const options = this.#options
    return {
      ...this.user,
      is_bot: true,
      username: this.username,
      can_join_groups: options.can_join_groups ?? true,
      can_read_all_group_messages: options.can_read_all_group_messages ?? false,
      supports_guest_queries: false,
      supports_inline_queries: false,
      can_connect_to_business: false,
      has_main_web_app: false,
      has_topics_enabled: options.has_topics_enabled ?? false,
      allows_users_to_create_topics: options.has_topics_enabled ?? false,
      can_manage_bots: options.can_manage_bots ?? false,
      supports_join_request_queries: false
    }
  }

  /** Messages of private chats are numbered per bot, over all its chats. */
  nextMessageId(): number {
    this.#lastMessageId += 1
    return this.#lastMessageId
  }

  /** Revokes the token, and the webhook with it. */
  rotate(): string {
    this.client.close()
    this.client = new Client(this, newToken(this.id), this.#clock)
    return this.token
  }

  /** Whether a person may use it. */
  admits(personId: number): boolean {
    const { management } = this
    return (
      management === undefined ||
      !management.isRestricted ||
      management.ownerId === personId ||
      management.addedUserIds.includes(personId)
    )
  }
}
