import type { Bot } from "./Bot.ts"
import type { Call } from "./Method.ts"
import type { DirectChat, Group, ChatState } from "./ChatState.ts"
import { badRequest, forbidden } from "./Refusal.ts"
import type { World } from "./World.ts"

export type Access = "read" | "edit" | "write"

const directAt = (world: World, bot: Bot, personId: number, access: Access): DirectChat => {
  const person = world.people.get(personId)
  const chat = world.direct(bot, personId)
  if (person?.isDeactivated === true && access !== "read") throw forbidden("user is deactivated")
  if (chat === undefined) {
    const hasMet =
      person !== undefined &&
      [...world.groups.values()].some((group) => group.isMember(bot) && group.people.has(personId))
    throw hasMet && access !== "read"
      ? forbidden("bot can't initiate conversation with a user")
      : badRequest("chat not found")
  }
  if (chat.isBlocked && access === "write") throw forbidden("bot was blocked by the user")
  return chat
}

const groupAt = (group: Group, bot: Bot, access: Access): Group => {
  const membership = group.bots.get(bot)
  if (membership === undefined) throw badRequest("chat not found")
  if (access === "write" && group.migratedTo !== undefined) {
    throw badRequest("group chat was upgraded to a supergroup chat", { migrate_to_chat_id: group.migratedTo.id })
  }
  if (access === "write" && group.isDeleted) throw forbidden("the group chat was deleted")
  const isOpen = group.type === "group" && access === "read"
  if (membership === "kicked" && !isOpen) throw forbidden(`bot was kicked from the ${group.type} chat`)
  if (membership === "left" && !isOpen) throw forbidden(`bot is not a member of the ${group.type} chat`)
  if (membership === "muted" && access === "write")
    throw badRequest("not enough rights to send text messages to the chat")
  return group
}

const publicAt = (world: World, bot: Bot, name: string, access: Access): ChatState => {
  const group = [...world.groups.values()].find(({ username }) => username?.toLowerCase() === name)
  if (group !== undefined) return groupAt(group, bot, access)
  throw badRequest("chat not found")
}

/** The chat of a call, if its bot has the required access. */
export const reach = ({ world, bot, parameters }: Call, access: Access): ChatState => {
  const id = parameters.text("chat_id")
  if (id === "") throw badRequest("chat_id is empty")
  if (access !== "read" && bot.isFrozen) throw badRequest("FROZEN_METHOD_INVALID")
  if (id.startsWith("@")) return publicAt(world, bot, id.slice(1).toLowerCase(), access)
  const number = Number(id)
  if (number > 0) {
    if (world.bots.has(number) && access !== "read") throw forbidden("bots can't send messages to bots")
    return directAt(world, bot, number, access)
  }
  const group = world.groups.get(number)
  if (group === undefined) throw badRequest("chat not found")
  return groupAt(group, bot, access)
}
