import type { MessageEntity } from "@grammyjs/types"
import { byteOffset, cannotParse, type Marked } from "./Marked.ts"

const RESERVED = "_*[]()~`>#+-=|{}.!"
type Style = "bold" | "italic" | "underline" | "strikethrough" | "spoiler" | "code" | "pre"
const STYLES: ReadonlyArray<readonly [string, Style, string]> = [
  ["```", "pre", "Pre"],
  ["`", "code", "Code"],
  ["__", "underline", "Underline"],
  ["||", "spoiler", "Spoiler"],
  ["*", "bold", "Bold"],
  ["_", "italic", "Italic"],
  ["~", "strikethrough", "Strikethrough"]
]

interface Open {
  readonly mark: string
  readonly style: Style
  readonly word: string
  readonly offset: number
  readonly at: number
}

const LINK_END = /^\]\(((?:\\.|[^)\\])*)\)/

/** MarkdownV2: bold, italic, underline, strikethrough, spoiler, code and links. */
export const parseMarkdownV2 = (source: string): Marked => {
  const entities: Array<MessageEntity> = []
  const open: Array<Open> = []
  const links: Array<{ readonly offset: number; readonly at: number }> = []
  let text = ""
  for (let index = 0; index < source.length;) {
    const rest = source.slice(index)
    const inner = open.at(-1)
    const isCode = inner?.style === "code" || inner?.style === "pre"
    const known = STYLES.find(([mark]) => rest.startsWith(mark) && (!isCode || mark === inner.mark))
    const linkEnd = links.length > 0 && !isCode ? rest.match(LINK_END) : null
    if (rest.startsWith("\\") && rest.length > 1) {
      text += rest[1]
      index += 2
    } else if (known !== undefined) {
      const [mark, style, word] = known
      index += mark.length
      if (inner?.mark === mark) {
        open.pop()
        if (text.length > inner.offset)
          entities.push({ type: style, offset: inner.offset, length: text.length - inner.offset })
      } else {
        open.push({ mark, style, word, offset: text.length, at: byteOffset(source, index - mark.length) })
      }
    } else if (linkEnd !== null) {
      const link = links.pop()
      if (link !== undefined)
        entities.push({
          type: "text_link",
          offset: link.offset,
          length: text.length - link.offset,
          url: (linkEnd[1] ?? "").replaceAll(/\\(.)/g, "$1")
        })
      index += linkEnd[0].length
    } else if (rest.startsWith("[") && !isCode) {
      links.push({ offset: text.length, at: byteOffset(source, index) })
      index += 1
    } else if (!isCode && RESERVED.includes(rest[0] ?? "")) {
      throw cannotParse(`Character '${rest[0]}' is reserved and must be escaped with the preceding '\\'`)
    } else {
      text += rest[0]
      index += 1
    }
  }
  const [unclosed] = open
  if (unclosed !== undefined)
    throw cannotParse(`Can't find end of ${unclosed.word} entity at byte offset ${unclosed.at}`)
  const [link] = links
  if (link !== undefined) throw cannotParse(`Can't find end of TextUrl entity at byte offset ${link.at}`)
  return { text, entities }
}

const LEGACY: Readonly<Record<string, "bold" | "italic" | "code">> = { "*": "bold", _: "italic", "`": "code" }

/** The old Markdown, without nesting. */
export const parseMarkdown = (source: string): Marked => {
  const entities: Array<MessageEntity> = []
  let text = ""
  for (let index = 0; index < source.length;) {
    const mark = source[index] ?? ""
    const link = mark === "[" ? source.slice(index).match(/^\[([^\]]*)\]\(([^)]*)\)/) : null
    const type = LEGACY[mark]
    if (mark === "\\" && /^[_*`[]/.test(source.slice(index + 1))) {
      text += source[index + 1]
      index += 2
    } else if (link !== null) {
      entities.push({ type: "text_link", offset: text.length, length: (link[1] ?? "").length, url: link[2] ?? "" })
      text += link[1] ?? ""
      index += link[0].length
    } else if (type !== undefined) {
      const end = source.indexOf(mark, index + 1)
      if (end === -1)
        throw cannotParse(`Can't find end of the entity starting at byte offset ${byteOffset(source, index)}`)
      if (end > index + 1) entities.push({ type, offset: text.length, length: end - index - 1 })
      text += source.slice(index + 1, end)
      index = end + 1
    } else {
      text += mark
      index += 1
    }
  }
  return { text, entities }
}
