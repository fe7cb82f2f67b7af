import type { Message, ResponseParameters } from "@grammyjs/types"
import type { Bot } from "../Bot.ts"
import type { Group, Person } from "../ChatState.ts"
import { Refusal } from "../Refusal.ts"
import type { World } from "../World.ts"

const missing = (name: string) => new Refusal(400, `${name} is missing or unknown`)

/** The fields of a request to the simulator, resolved to what they name. */
export class Input {
  readonly #world: World
  readonly #fields: Readonly<Record<string, unknown>>

  constructor(world: World, fields: unknown) {
    if (typeof fields !== "object" || fields === null || Array.isArray(fields))
      throw new Refusal(400, "an object is expected")
    this.#world = world
    this.#fields = fields as Readonly<Record<string, unknown>>
  }

  optionalText(name: string): string | undefined {
    const value = this.#fields[name]
    return typeof value === "string" ? value : undefined
  }

  text(name: string): string {
    const value = this.optionalText(name)
    if (value === undefined) throw missing(name)
    return value
  }

  optionalNumber(name: string): number | undefined {
    const value = Number(this.#fields[name] ?? Number.NaN)
    return Number.isFinite(value) ? value : undefined
  }

  number(name: string): number {
    const value = this.optionalNumber(name)
    if (value === undefined) throw missing(name)
    return value
  }

  flag(name: string): boolean {
    return this.#fields[name] === true
  }

  /** A field that is itself an object. */
  inside(name: string): Input {
    return new Input(this.#world, this.#fields[name])
  }

  /** Unchanged. */
  responseParameters(name: string): ResponseParameters | undefined {
    return this.#fields[name] as ResponseParameters | undefined
  }

  person(name = "person"): Person {
    const person = this.#world.people.get(this.number(name))
    if (person === undefined) throw missing(name)
    return person
  }

  optionalBot(name = "bot"): Bot | undefined {
    const value = this.#fields[name]
    return typeof value === "string" && !/^\d+$/.test(value)
      ? this.#world.botNamed(value)
      : this.#world.bots.get(Number(value))
  }

  /** By its id or its username. */
  bot(name = "bot"): Bot {
    const bot = this.optionalBot(name)
    if (bot === undefined) throw missing(name)
    return bot
  }

  group(): Group {
    const group = this.#world.groups.get(this.number("group"))
    if (group === undefined) throw missing("group")
    return group
  }

  spot(): Bot | Group {
    return this.#fields["group"] === undefined ? this.bot() : this.group()
  }

  /** A message in the chat that the other fields name. */
  message(name = "message"): Message {
    const spot = this.spot()
    const chatState = "messages" in spot ? spot : this.#world.direct(spot, this.person().id)
    const message = chatState?.messages.get(this.number(name))
    if (message === undefined) throw missing(name)
    return message
  }
}
