import type { Update } from "@grammyjs/types"
import { randomBytes, randomInt } from "node:crypto"
import { Bot, type BotOptions } from "./Bot.ts"
import type { Client } from "./Client.ts"
import type { Clock } from "./Clock.ts"
import { Files } from "./Files.ts"
import { DirectChat, Group, Person } from "./ChatState.ts"
import type { UpdateKind } from "./UpdateQueue.ts"
import type { WebhookDelivery } from "./Webhook.ts"

interface PreCheckoutState {
  readonly botId: number
  readonly expiresAtMs: number
  answer: { readonly ok: boolean; readonly errorMessage: string } | undefined
}

export interface CallbackQueryState {
  readonly botId: number
  readonly expiresAtMs: number
  answer: { readonly text: string; readonly showAlert: boolean } | undefined
}

/** The state of the simulated Telegram: people, bots, chats and messages. */
export class World {
  readonly clock: Clock
  /** Also http, and any port. */
  readonly takesAnyWebhookUrl: boolean
  readonly files = new Files()
  readonly bots = new Map<number, Bot>()
  readonly people = new Map<number, Person>()
  readonly groups = new Map<number, Group>()
  readonly callbackQueries = new Map<string, CallbackQueryState>()
  readonly preCheckouts = new Map<string, PreCheckoutState>()
  readonly deliveries: Array<WebhookDelivery> = []
  readonly #directs = new Map<string, DirectChat>()
  readonly #watchers = new Set<() => void>()

  constructor(clock: Clock, takesAnyWebhookUrl: boolean) {
    this.clock = clock
    this.takesAnyWebhookUrl = takesAnyWebhookUrl
  }

  addBot(options: BotOptions): Bot {
    const bot = new Bot(options, this.clock)
    this.bots.set(bot.id, bot)
    this.changed()
    return bot
  }

  addPerson(options: {
    readonly id?: number
    readonly first_name?: string
    readonly last_name?: string
    readonly username?: string
    readonly language_code?: string
  }): Person {
    const id = options.id ?? randomInt(100_000_000, 7_000_000_000)
    const person = new Person({ ...options, id, is_bot: false, first_name: options.first_name ?? `Person ${id}` })
    this.people.set(id, person)
    this.changed()
    return person
  }

  addGroup(options: ConstructorParameters<typeof Group>[0]): Group {
    const group = new Group(options)
    this.groups.set(group.id, group)
    this.changed()
    return group
  }

  /** The client of a valid token. */
  clientOf(token: string): Client | undefined {
    const bot = this.bots.get(Number.parseInt(token, 10))
    return bot?.token === token ? bot.client : undefined
  }

  botNamed(username: string): Bot | undefined {
    return [...this.bots.values()].find((bot) => bot.username.toLowerCase() === username.toLowerCase())
  }

  /** Undefined until the person has started the bot. */
  direct(bot: Bot, personId: number): DirectChat | undefined {
    return this.#directs.get(`${bot.id}:${personId}`)
  }

  startDirect(bot: Bot, person: Person): DirectChat {
    const known = this.direct(bot, person.id)
    if (known !== undefined) return known
    const chat = new DirectChat(bot, person)
    this.#directs.set(`${bot.id}:${person.id}`, chat)
    return chat
  }

  directsOf(person: Person): ReadonlyArray<DirectChat> {
    return [...this.#directs.values()].filter((chat) => chat.person === person)
  }

  /** Queues an update, if the bot has requested its kind. */
  push<K extends UpdateKind>(bot: Bot, kind: K, content: NonNullable<Update[K]>, lane: string): Update | undefined {
    return bot.client.allowedUpdates.has(kind) ? bot.updates.push(kind, content, lane) : undefined
  }

  #newQueryId(): string {
    return BigInt(`0x${randomBytes(7).toString("hex")}`).toString()
  }

  newPreCheckout(bot: Bot): string {
    const id = this.#newQueryId()
    this.preCheckouts.set(id, { botId: bot.id, expiresAtMs: this.clock.nowMs() + 10_000, answer: undefined })
    return id
  }

  newCallbackQuery(bot: Bot): string {
    const id = this.#newQueryId()
    this.callbackQueries.set(id, { botId: bot.id, expiresAtMs: this.clock.nowMs() + 150_000, answer: undefined })
    return id
  }

  /** Notifies the watchers. */
  changed(): void {
    for (const watcher of this.#watchers) watcher()
  }

  /** Also notifies the watchers when something temporary expires after this time. */
  changedFor(ms: number): void {
    this.changed()
    if (this.#watchers.size > 0) this.clock.after(ms, () => this.changed())
  }

  /** Returns a function that stops watching. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher)
    return () => {
      this.#watchers.delete(watcher)
    }
  }

  close(): void {
    for (const bot of this.bots.values()) bot.client.close()
    this.clock.close()
  }
}
