import type { MessagePart } from "#pipeline/domain/Event.ts"
import { forwardLine } from "#pipeline/domain/referred.ts"
import { clean, shorten } from "./clean.ts"
import { describe } from "./describe.ts"
import { forwardOf, isForwarded, quoteOf, senderOf } from "./referred.ts"
import type { Callback, Message, User } from "./Update.ts"

const MAX_CHARACTERS = 32_000
const MAX_OF_NAME = 80
/** The person's name for themselves. */
export const nameOf = (user: User | undefined): string => shorten(clean(user?.first_name ?? ""), MAX_OF_NAME)

/** The name of who speaks in a group. */
const speakerOf = (message: Message): string => shorten(clean(senderOf(message).name), MAX_OF_NAME)

/** A bot, by the ways people address it in a group. */
export interface Addressee {
  readonly userId: number
  readonly username: string
}

const MENTION = /@(\w+)[,:]?[ \t]*/g
const names = (name: string, { username }: Addressee): boolean => name.toLowerCase() === username.toLowerCase()
const isMentioned = (text: string, bot: Addressee): boolean =>
  Array.from(text.matchAll(MENTION)).some(([, name = ""]) => names(name, bot))
const withoutMention = (text: string, bot: Addressee): string =>
  text.replace(MENTION, (mention, name: string) => (names(name, bot) ? "" : mention))

/** In a private chat every message is for the bot, and in a group those that mention it or reply to it. */
export const isAddressed = (message: Message, bot: Addressee): boolean =>
  message.chat.type === "private" ||
  message.reply_to_message?.from?.id === bot.userId ||
  (!isForwarded(message) && isMentioned(message.text ?? message.caption ?? "", bot))

/** What a person has sent in one turn: as text, and in parts if it is more than text. */
export interface Said {
  readonly text: string
  readonly parts?: ReadonlyArray<MessagePart>
}

const isBlank = ({ text }: MessagePart) => text === ""

const wordsOf = (text: string, bot: Addressee): string => clean(withoutMention(text, bot)).trim()

/** What a person says in a message: what it contains, and their words. */
const ownParts = (message: Message, bot: Addressee, transcript: string | undefined): ReadonlyArray<MessagePart> => {
  const media = describe(message)
  const words = message.text ?? message.caption
  return [
    ...(media === null
      ? []
      : [{ ...media, ...(transcript !== undefined && { transcript: clean(transcript).trim() }) }]),
    ...(words === undefined ? [] : [{ type: "text", text: wordsOf(words, bot) }])
  ].filter((part) => !isBlank(part))
}

/** What a message refers to, and what it says. In a group, a reply may say no more than the name of the bot. */
const partsOf = (message: Message, bot: Addressee, transcript: string | undefined): ReadonlyArray<MessagePart> => {
  const quote = quoteOf(message, bot)
  const forward = forwardOf(message, bot, transcript)
  const own = isForwarded(message) ? [] : ownParts(message, bot, transcript)
  const call = clean(message.text ?? "").trim()
  const said =
    own.length === 0 && forward === null && quote !== null && call !== "" ? [{ type: "text", text: call }] : own
  return [quote, forward, ...said].filter((part) => part !== null)
}

/** The line of a part in the text of the message. Quoted and forwarded words are only in the parts. */
const linesOf = ({ type, text, transcript, author = "" }: MessagePart): ReadonlyArray<string> => {
  if (type === "quote") return []
  if (type === "forward") return [forwardLine(author)]
  return transcript === undefined ? [text] : [text, transcript]
}

/**
 * The messages of one turn. Null: they contain nothing to answer. In a group, the speaker's name precedes the text.
 * `heard`: transcripts of voice messages by message id.
 */
export const readMessages = (
  messages: ReadonlyArray<Message>,
  bot: Addressee,
  heard: ReadonlyMap<number, string> = new Map()
): Said | null => {
  const parts = messages.flatMap((message) => partsOf(message, bot, heard.get(message.message_id)))
  const text = parts.flatMap(linesOf).join("\n")
  if (text === "") return null
  const [first] = messages
  const speaker = first === undefined || first.chat.type === "private" ? "" : `${speakerOf(first)}: `
  return {
    text: shorten(`${speaker}${text}`, MAX_CHARACTERS),
    ...(parts.some(({ type }) => type !== "text") && { parts })
  }
}

/** The label of the button that was pressed, which counts as the person's message. Undefined: it is unknown. */
export const readPress = ({ data, message }: Callback): string | undefined =>
  data === undefined
    ? undefined
    : message?.reply_markup?.inline_keyboard.flat().find((button) => button.callback_data === data)?.text

export interface Command {
  readonly name: string
  readonly argument: string
  /** The command names the bot that it is for. */
  readonly named: boolean
}

/** A command for this bot. Null: it is for another bot, or is not a command. */
export const readCommand = (message: Message, bot: Addressee): Command | null => {
  const [, name = "", to, argument = ""] =
    /^\/([A-Za-z0-9_]{1,32})(?:@(\w+))?(?:\s+([\s\S]*))?$/.exec(message.text ?? "") ?? []
  if (name === "" || (to !== undefined && to.toLowerCase() !== bot.username.toLowerCase())) return null
  return { name: name.toLowerCase(), argument: argument.trim(), named: to !== undefined }
}

/** The end-user reference of a chat's session: a person in a private chat, or the group as a whole. */
export const refOf = (chatId: number): string => `tg:${chatId}`
