import * as Schema from "effect/Schema"
import { Reply } from "#pipeline/generation/Writer.ts"
import { formatOf } from "./Format.ts"

const paragraphs = (text: string): ReadonlyArray<string> =>
  text
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== "")

/**
 * More than a reply may have. What is beyond is dropped before anything reads it, and the gate for the length refuses
 * the rest.
 */
export const MAX_CHARS = 16_000

const { cited_memory_ids: _, ...written } = Reply.fields
/** What a model answers. Which memories it relies on is found by code. */
const WrittenReply = Schema.Struct(written)
export type WrittenReply = typeof WrittenReply.Type
/** A reply with something to decide. */
export const REPLY = formatOf("reply", WrittenReply)
/** A reply of which only the text is wanted. */
export const PLAIN_REPLY = formatOf("reply", WrittenReply, (text): WrittenReply => ({
  decision: "reply",
  exit_reason: null,
  bubbles: paragraphs(text.slice(0, MAX_CHARS).toWellFormed())
}))
