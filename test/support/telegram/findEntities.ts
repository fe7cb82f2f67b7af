import type { MessageEntity } from "@grammyjs/types"

const PATTERNS: ReadonlyArray<readonly [MessageEntity.CommonMessageEntity["type"], RegExp]> = [
  ["bot_command", /(?<![\w/])\/\w{1,64}(?:@\w{3,32})?/g],
  ["url", /(?<!\w)(?:https?:\/\/|www\.)[^\s<>"]+[^\s<>".,!?;:)]/gi],
  ["email", /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g],
  ["mention", /(?<!\w)@\w{3,32}/g],
  ["hashtag", /(?<!\w)#[\p{L}_][\p{L}\p{N}_]*/gu]
]

const overlap = (one: MessageEntity, other: MessageEntity) =>
  one.offset < other.offset + other.length && other.offset < one.offset + one.length

/** Adds the entities that Telegram detects in a text: commands, URLs, mentions and hashtags. */
export const findEntities = (text: string, given: ReadonlyArray<MessageEntity> = []): ReadonlyArray<MessageEntity> => {
  const taken = given.filter(({ type }) => ["code", "pre", "text_link", "text_mention"].includes(type))
  const found: Array<MessageEntity> = []
  for (const [type, pattern] of PATTERNS) {
    for (const match of text.matchAll(pattern)) {
      const entity = { type, offset: match.index, length: match[0].length }
      if (![...taken, ...found].some((other) => overlap(entity, other))) found.push(entity)
    }
  }
  return [...given, ...found].sort((one, other) => one.offset - other.offset || other.length - one.length)
}
