import type { MessageEntity } from "@grammyjs/types"
import type { RequestListener } from "node:http"

export interface Sent {
  readonly message_id: number
}

/** An error, as a client reports it. */
export interface Told {
  readonly code: number
  readonly description: string
  readonly retryAfter: number | undefined
}

/** A third-party client of the Bot API, reduced to what all of them support. */
export interface ForeignClient {
  readonly getMe: () => Promise<{ readonly id: number; readonly username?: string | undefined }>
  readonly sendMessage: (chatId: number, text: string, entities: ReadonlyArray<MessageEntity>) => Promise<Sent>
  readonly sendPhoto: (chatId: number, bytes: Buffer, name: string, caption: string) => Promise<Sent>
  readonly told: (cause: unknown) => Told | undefined
  /** Polls until it is stopped, and passes on the text of every message. */
  readonly poll: (heard: (text: string) => void) => { readonly stop: () => Promise<void> }
  /** Handles the requests of a webhook with this secret. */
  readonly webhook: (secret: string, heard: (text: string) => void) => RequestListener
}

export type ForeignClientOf = (token: string, apiRoot: string) => ForeignClient
