import type { MessageEntity } from "@grammyjs/types"
import { badRequest } from "./Refusal.ts"

/** A text with its entities: what is left of markup. */
export interface Marked {
  readonly text: string
  readonly entities: ReadonlyArray<MessageEntity>
}

export const cannotParse = (reason: string) => badRequest(`can't parse entities: ${reason}`)

/** How far into the text an index is in bytes, which is how Telegram says where an error is. */
export const byteOffset = (text: string, index: number) => Buffer.byteLength(text.slice(0, index))
