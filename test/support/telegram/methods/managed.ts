import type { Bot, Management } from "../Bot.ts"
import { announceManagedBot } from "../managedBots.ts"
import type { Call, Methods } from "../Method.ts"
import { badRequest } from "../Refusal.ts"

const MAX_ADDED_USERS = 10

/** A bot that the caller manages. */
const childOf = ({ bot, parameters, world }: Call): Bot & { management: Management } => {
  const id = parameters.integer("user_id")
  if (id <= 0) throw badRequest("invalid user_id specified")
  const child = world.bots.get(id)
  if (child === undefined) throw badRequest("BOT_INVALID")
  if (child.management?.managerId !== bot.id) throw badRequest("BOT_ACCESS_FORBIDDEN")
  return child as Bot & { management: Management }
}

type Managed =
  | "getManagedBotToken"
  | "replaceManagedBotToken"
  | "getManagedBotAccessSettings"
  | "setManagedBotAccessSettings"

export const managed: Methods<Managed> = {
  getManagedBotToken: (call) => childOf(call).token,

  replaceManagedBotToken: (call) => {
    const child = childOf(call)
    const token = child.rotate()
    announceManagedBot(call.world, child)
    return token
  },

  getManagedBotAccessSettings: (call) => {
    const { management } = childOf(call)
    const added = management.addedUserIds.flatMap((id) => call.world.people.get(id)?.user ?? [])
    return { is_access_restricted: management.isRestricted, ...(management.isRestricted && { added_users: added }) }
  },

  setManagedBotAccessSettings: (call) => {
    const { management } = childOf(call)
    const ids = call.parameters.json<ReadonlyArray<number>>("added_user_ids") ?? []
    if (ids.length > MAX_ADDED_USERS) throw badRequest("too many users specified")
    management.isRestricted = call.parameters.boolean("is_access_restricted")
    management.addedUserIds = management.isRestricted ? ids : []
    return true
  }
}
