import type { MessageEntity } from "@grammyjs/types"
import { findEntities } from "./findEntities.ts"
import { cannotParse, type Marked } from "./Marked.ts"
import { parseHtml } from "./parseHtml.ts"
import { parseMarkdown, parseMarkdownV2 } from "./parseMarkdown.ts"
import type { Parameters } from "./Parameters.ts"
import { badRequest } from "./Refusal.ts"

/** After parsing, in UTF-16 units. */
export const LONGEST_TEXT = 4_096
const LONGEST_CAPTION = 1_024

const isLowSurrogate = (text: string, index: number) => /[\uDC00-\uDFFF]/.test(text[index] ?? "")

const checkEntities = (text: string, entities: ReadonlyArray<MessageEntity>): ReadonlyArray<MessageEntity> => {
  if (!Array.isArray(entities)) throw cannotParse("expected an Array of MessageEntity")
  for (const { offset, length } of entities) {
    if (!Number.isInteger(offset) || offset < 0) throw badRequest(`receive an entity with incorrect offset ${offset}`)
    if (!Number.isInteger(length) || length < 0) throw badRequest(`receive an entity with incorrect length ${length}`)
    const end = offset + length
    if (end > text.length)
      throw badRequest(
        `entity beginning at UTF-16 offset ${offset} ends after the end of the text at UTF-16 offset ${end}`
      )
    if (isLowSurrogate(text, offset))
      throw badRequest(
        `entity begins in a middle of a UTF-16 symbol at byte offset ${Buffer.byteLength(text.slice(0, offset))}`
      )
    if (isLowSurrogate(text, end))
      throw badRequest(`entity beginning at UTF-16 offset ${offset} ends in a middle of a UTF-16 symbol`)
  }
  return entities
}

const parse = (source: string, mode: string, entities: ReadonlyArray<MessageEntity>): Marked => {
  switch (mode.toLowerCase()) {
    case "":
      return { text: source, entities: checkEntities(source, entities) }
    case "html":
      return parseHtml(source)
    case "markdownv2":
      return parseMarkdownV2(source)
    case "markdown":
      return parseMarkdown(source)
    default:
      throw badRequest("unsupported parse_mode")
  }
}

/** Removes white space at both ends, and entities in it. */
const trim = ({ text, entities }: Marked): Marked => {
  const cut = text.length - text.trimStart().length
  const trimmed = text.trim()
  const moved = entities.flatMap((entity) => {
    const offset = Math.max(0, entity.offset - cut)
    const length = Math.min(entity.offset + entity.length - cut, trimmed.length) - offset
    return length > 0 ? [{ ...entity, offset, length }] : []
  })
  return { text: trimmed, entities: moved }
}

const read = (parameters: Parameters, field: string, entitiesField: string, modeField: string): Marked => {
  const { text, entities } = trim(
    parse(
      parameters.text(field),
      parameters.text(modeField),
      parameters.json<ReadonlyArray<MessageEntity>>(entitiesField) ?? []
    )
  )
  return { text, entities: findEntities(text, entities) }
}

/** The text of a message, as it will be displayed. */
export const readText = (parameters: Parameters): Marked => {
  if (parameters.text("text") === "") throw badRequest("message text is empty")
  const marked = read(parameters, "text", "entities", "parse_mode")
  if (marked.text === "") throw badRequest("text must be non-empty")
  if (marked.text.length > LONGEST_TEXT) throw badRequest("message is too long")
  return marked
}

/** A draft may be empty. */
export const readDraft = (parameters: Parameters): Marked => {
  const marked = read(parameters, "text", "entities", "parse_mode")
  if (marked.text.length > LONGEST_TEXT) throw badRequest("message is too long")
  return marked
}

/** The caption of a picture. Undefined if there is none. */
export const readCaption = (parameters: Parameters): Marked | undefined => {
  const marked = read(parameters, "caption", "caption_entities", "parse_mode")
  if (marked.text.length > LONGEST_CAPTION) throw badRequest("message caption is too long")
  return marked.text === "" ? undefined : marked
}
