import type { MessagePart } from "#pipeline/domain/Event.ts"
import { clean, shorten } from "./clean.ts"
import type { Origin, Replied } from "./content.ts"
import { describe } from "./describe.ts"
import { fit } from "./fit.ts"
import { type Message, speakerIdOf } from "./Update.ts"

const MAX_OF_NAME = 80
/** Enough to see what is meant. */
const MAX_OF_QUOTE = 1_000
/** The maximum length of a text in Telegram. */
const MAX_OF_FORWARD = 4_096

const oneLine = (name: string): string => shorten(clean(name).replace(/\s+/g, " ").trim(), MAX_OF_NAME)

/** Who wrote a message. `id`: of a user, a group or a channel. Null if Telegram hides it. */
interface Author {
  readonly id: number | null
  readonly name: string
}
const NOBODY: Author = { id: null, name: "" }

const originOf = ({
  sender_user: user,
  sender_user_name: hidden,
  sender_chat: chat,
  chat: channel,
  author_signature: signature
}: Origin): Author => {
  if (user !== undefined) return { id: user.id, name: user.first_name ?? "" }
  if (channel !== undefined) return { id: channel.id, name: channel.title ?? signature ?? "" }
  if (chat !== undefined) return { id: chat.id, name: signature ?? chat.title ?? "" }
  return { id: null, name: hidden ?? "" }
}

/** Who sent a message: a person, an anonymous admin by signature or group, or a channel. */
export const senderOf = ({ from, sender_chat: chat, author_signature: signature }: Replied): Author =>
  chat === undefined
    ? { id: from?.id ?? null, name: from?.first_name ?? "" }
    : { id: chat.id, name: signature ?? chat.title ?? "" }

/** Who wrote the words of a message: not the one who forwarded it. */
const authorOf = (message: Replied): Author =>
  message.forward_origin === undefined ? senderOf(message) : originOf(message.forward_origin)

interface Bot {
  readonly userId: number
}

const partOf = (
  type: "quote" | "forward",
  words: string,
  { id, name }: Author,
  { message, bot, most }: { readonly message: Message; readonly bot: Bot; readonly most: number }
): MessagePart | null => {
  const text = fit(clean(words).trim(), most)
  if (text === "") return null
  const author = oneLine(name)
  return {
    type,
    text,
    by: id === null ? "other" : id === bot.userId ? "character" : id === speakerIdOf(message) ? "user" : "other",
    ...(author !== "" && { author })
  }
}

const wordsIn = (message: Replied): string =>
  [describe(message)?.text, message.text ?? message.caption].filter((words) => words !== undefined).join("\n")

/** What a message replies to, and who said it. Null: it replies to nothing that anybody said. */
const repliedIn = ({
  reply_to_message: replied,
  external_reply: external,
  reply_to_story: story
}: Message): { readonly words: string; readonly author: Author } | null => {
  if (replied !== undefined) return { words: wordsIn(replied), author: authorOf(replied) }
  // Of a message in another chat, Telegram sends no text but what is quoted.
  if (external !== undefined)
    return {
      words: describe(external)?.text ?? "[message]",
      author: external.origin === undefined ? NOBODY : originOf(external.origin)
    }
  return story === undefined
    ? null
    : { words: "[story]", author: { id: story.chat.id, name: story.chat.title ?? story.chat.first_name ?? "" } }
}

/** What a message quotes: the words that were marked, or else the message that it replies to. */
export const quoteOf = (message: Message, bot: Bot): MessagePart | null => {
  const replied = repliedIn(message)
  const marked = message.quote?.text.trim() ?? ""
  return partOf("quote", marked === "" ? (replied?.words ?? "") : marked, replied?.author ?? NOBODY, {
    message,
    bot,
    most: MAX_OF_QUOTE
  })
}

/** Whether the words of a message are those of somebody else. A forwarded message of one's own is not. */
export const isForwarded = (message: Message): boolean => {
  const { forward_origin: origin } = message
  if (origin === undefined) return false
  const { id } = originOf(origin)
  return id === null || id !== speakerIdOf(message)
}

/** The words of others that a message forwards. Null: it forwards none. `transcript`: of a voice message. */
export const forwardOf = (message: Message, bot: Bot, transcript: string | undefined): MessagePart | null => {
  if (!isForwarded(message)) return null
  const part = partOf("forward", wordsIn(message), authorOf(message), { message, bot, most: MAX_OF_FORWARD })
  return part === null || transcript === undefined
    ? part
    : { ...part, transcript: fit(clean(transcript).trim(), MAX_OF_FORWARD) }
}
