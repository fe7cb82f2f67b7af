import type { ApiMethods } from "@grammyjs/types"
import type { Bot } from "./Bot.ts"
import type { Client } from "./Client.ts"
import type { Parameters } from "./Parameters.ts"
import type { World } from "./World.ts"

export interface Call {
  readonly world: World
  readonly client: Client
  readonly bot: Bot
  readonly parameters: Parameters
  /** Executes a method in the body of a webhook's answer. */
  readonly webhookReply: (contentType: string, body: Buffer) => void
}

/** A result with a description. */
export class Described<A> {
  readonly result: A
  readonly description: string

  constructor(result: A, description: string) {
    this.result = result
    this.description = description
  }
}

type Api = ApiMethods<never>
type Result<M extends keyof Api> = ReturnType<Api[M]>
type Answer<A> = A | Described<A>

/** Methods by name, with the result types of the Bot API. */
export type Methods<M extends keyof Api> = {
  readonly [K in M]: (call: Call) => Answer<Result<K>> | Promise<Answer<Result<K>>>
}

export type Method = (call: Call) => unknown
