import type { MessageEntity } from "@grammyjs/types"
import { byteOffset, cannotParse, type Marked } from "./Marked.ts"

const TAGS: Readonly<Record<string, MessageEntity.CommonMessageEntity["type"] | "pre" | "text_link">> = {
  b: "bold",
  strong: "bold",
  i: "italic",
  em: "italic",
  u: "underline",
  ins: "underline",
  s: "strikethrough",
  strike: "strikethrough",
  del: "strikethrough",
  "tg-spoiler": "spoiler",
  code: "code",
  pre: "pre",
  blockquote: "blockquote",
  a: "text_link"
}
const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' }
const PIECE = /<(\/?)([a-z-]*)((?:\s+[^>]*)?)>|&(?:(lt|gt|amp|quot)|#(\d+)|#x([\da-f]+));|</gi

interface Open {
  readonly tag: string
  readonly offset: number
  readonly attributes: string
}

const attribute = (attributes: string, name: string) =>
  attributes.match(new RegExp(`${name}\\s*=\\s*["']?([^"'\\s>]*)`, "i"))?.[1] ?? ""

const close = ({ tag, offset, attributes }: Open, end: number): MessageEntity | undefined => {
  const length = end - offset
  const type = TAGS[tag]
  if (length === 0 || type === undefined) return undefined
  if (type === "text_link") {
    const url = attribute(attributes, "href")
    return url === "" ? undefined : { type, offset, length, url }
  }
  return type === "blockquote" && /\bexpandable\b/i.test(attributes)
    ? { type: "expandable_blockquote", offset, length }
    : { type, offset, length }
}

const character = (named: string | undefined, decimal: string | undefined, hex: string | undefined) =>
  named === undefined
    ? String.fromCodePoint(decimal === undefined ? Number.parseInt(hex ?? "0", 16) : Number(decimal))
    : (NAMED[named.toLowerCase()] ?? "")

/** The tags that Telegram knows, with Telegram's error messages. */
export const parseHtml = (source: string): Marked => {
  const entities: Array<MessageEntity> = []
  const open: Array<Open> = []
  let text = ""
  let read = 0
  for (const match of source.matchAll(PIECE)) {
    const [whole, slash, name, attributes = "", named, decimal, hex] = match
    text += source.slice(read, match.index)
    read = match.index + whole.length
    const at = byteOffset(source, match.index)
    if (whole.startsWith("&")) {
      text += character(named, decimal, hex)
    } else if (whole === "<") {
      throw cannotParse(`Unclosed start tag at byte offset ${at}`)
    } else if (slash === "/") {
      const last = open.pop()
      if (last === undefined) throw cannotParse(`Unexpected end tag at byte offset ${at}`)
      if (name !== "" && name?.toLowerCase() !== last.tag)
        throw cannotParse(`Unmatched end tag at byte offset ${at}, expected "</${last.tag}>", found "${whole}"`)
      const entity = close(last, text.length)
      if (entity !== undefined) entities.push(entity)
    } else {
      const tag = name?.toLowerCase() ?? ""
      if (TAGS[tag] === undefined) throw cannotParse(`Unsupported start tag "${tag}" at byte offset ${at}`)
      open.push({ tag, offset: text.length, attributes })
    }
  }
  const unclosed = open.pop()
  if (unclosed !== undefined) throw cannotParse(`Can't find end tag corresponding to start tag "${unclosed.tag}"`)
  return { text: text + source.slice(read), entities }
}
