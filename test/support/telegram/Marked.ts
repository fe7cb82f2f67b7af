import type { MessageEntity } from "@grammyjs/types"
import { badRequest } from "./Refusal.ts"

/** A text with its entities, after parsing markup. */
export interface Marked {
  readonly text: string
  readonly entities: ReadonlyArray<MessageEntity>
}

export const cannotParse = (reason: string) => badRequest(`can't parse entities: ${reason}`)

/** The byte position of an index in the text, which Telegram uses in error messages. */
export const byteOffset = (text: string, index: number) => Buffer.byteLength(text.slice(0, index))
