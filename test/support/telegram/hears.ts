import type { Message } from "@grammyjs/types"
import type { Bot } from "./Bot.ts"
import type { Group } from "./ChatState.ts"

const commandFor = (bot: Bot, { entities = [], text = "" }: Message) =>
  entities.some(({ length, offset, type }) => {
    const [, addressee] = text.slice(offset, offset + length).split("@")
    return type === "bot_command" && (addressee === undefined || addressee.toLowerCase() === bot.username.toLowerCase())
  })

/**
 * Whether a group message reaches a bot. In privacy mode only commands, mentions, replies to it and service messages
 * do.
 */
export const hears = (bot: Bot, group: Group, message: Message): boolean => {
  if (!group.isMember(bot)) return false
  if (bot.me.can_read_all_group_messages || group.bots.get(bot) === "administrator") return true
  const isMentioned = (message.text ?? message.caption ?? "").toLowerCase().includes(`@${bot.username.toLowerCase()}`)
  return commandFor(bot, message) || isMentioned || message.reply_to_message?.from?.id === bot.id
}
