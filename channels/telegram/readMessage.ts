import type { Message } from "./Update.ts"

const MOST_CHARACTERS = 32_000
const CONTROL = /[^\P{Cc}\t\n\r]/gu
/** What can be stored and sent on. */
const clean = (text: string): string => text.toWellFormed().replace(CONTROL, "")

const seconds = (duration: number | undefined) => duration === undefined ? "" : `, ${Math.round(duration)} s`
const named = (name: string | undefined) => name === undefined ? "" : `: ${name.slice(0, 100)}`

/** In words, what came besides text: nobody has looked at it or listened to it, and the words do not pretend so. */
const describe = (message: Message): string | null => {
  if (message.sticker !== undefined) return message.sticker.emoji ?? "[sticker]"
  if (message.photo !== undefined) return "[photo]"
  if (message.voice !== undefined) return `[voice message${seconds(message.voice.duration)}]`
  if (message.video_note !== undefined) return `[video message${seconds(message.video_note.duration)}]`
  if (message.animation !== undefined) return "[animation]"
  if (message.video !== undefined) return `[video${seconds(message.video.duration)}]`
  if (message.audio !== undefined) return `[audio${named(message.audio.file_name)}${seconds(message.audio.duration)}]`
  if (message.document !== undefined) return `[file${named(message.document.file_name)}]`
  if (message.location !== undefined) return `[location: ${message.location.latitude}, ${message.location.longitude}]`
  if (message.contact !== undefined) return `[contact: ${message.contact.first_name.slice(0, 100)}]`
  if (message.poll !== undefined) return `[poll: ${message.poll.question.slice(0, 300)}]`
  return null
}

/** A bot as people in a group address it. */
export interface Addressee {
  readonly userId: number
  readonly username: string
}

const mentionOf = ({ username }: Addressee) => new RegExp(`@${username}\\b[,:]?[ \\t]*`, "gi")

/** In a private chat every message is for the bot, in a group those that name it or answer it. */
export const isAddressed = (message: Message, bot: Addressee): boolean =>
  message.chat.type === "private" || message.reply_to_message?.from?.id === bot.userId || mentionOf(bot).test(message.text ?? message.caption ?? "")

/** The messages of one turn as its text; null: they say nothing that a character could answer. In a group it stands before it who speaks. */
export const readMessages = (messages: ReadonlyArray<Message>, bot: Addressee): string | null => {
  const lines = messages.flatMap((message) => [describe(message), message.text ?? message.caption ?? null]).filter((line) => line !== null)
  const text = clean(lines.join("\n").replace(mentionOf(bot), "")).trim().slice(0, MOST_CHARACTERS)
  if (text === "") return null
  const [first] = messages
  return first === undefined || first.chat.type === "private" ? text : `${clean(first.from?.first_name ?? "").slice(0, 80)}: ${text}`.slice(0, MOST_CHARACTERS)
}

export interface Command {
  readonly name: string
  readonly argument: string
}

/** A command for this bot. Null: it is another bot's, or none. */
export const readCommand = (message: Message, bot: Addressee): Command | null => {
  const [, name = "", to, argument = ""] = /^\/([A-Za-z0-9_]{1,32})(?:@(\w+))?(?:\s+([\s\S]*))?$/.exec(message.text ?? "") ?? []
  if (name === "" || (to !== undefined && to.toLowerCase() !== bot.username.toLowerCase())) return null
  return { name: name.toLowerCase(), argument: argument.trim() }
}

/** Whose session it is: a person's in a private chat, and the group's in a group. */
export const refOf = (chatId: number): string => `tg:${chatId}`
