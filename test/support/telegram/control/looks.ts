import type { Message } from "@grammyjs/types"
import type { Bot } from "../Bot.ts"
import { Group, type Person } from "../ChatState.ts"
import type { World } from "../World.ts"

/** What a test may inspect. */
export const looks = (world: World) => {
  const at = (spot: Bot | Group, person?: Person) => {
    if (spot instanceof Group) return spot
    return person === undefined ? undefined : world.direct(spot, person.id)
  }

  return {
    /** The existing messages, oldest first. For a bot, as this person sees them. */
    transcript: (spot: Bot | Group, person?: Person): ReadonlyArray<Message> => [
      ...(at(spot, person)?.messages.values() ?? [])
    ],

    /** The visible activity of the bot in a chat, such as `typing`. */
    activity: (bot: Bot, where: Person | Group): string | undefined => {
      const activity = (where instanceof Group ? where : world.direct(bot, where.id))?.activities.get(bot.id)
      return activity !== undefined && activity.untilMs > world.clock.nowMs() ? activity.action : undefined
    },

    /** The bot's draft in a private chat. */
    draft: (bot: Bot, person: Person): { readonly id: number; readonly text: string } | undefined => {
      const draft = world.direct(bot, person.id)?.drafts.get(bot.id)
      return draft !== undefined && draft.untilMs > world.clock.nowMs() ? { id: draft.id, text: draft.text } : undefined
    },

    /** Whether and how a callback query was answered. */
    callbackAnswer: (id: string) => world.callbackQueries.get(id)?.answer,

    /** Whether and how a pre-checkout query was answered. */
    preCheckoutAnswer: (id: string) => world.preCheckouts.get(id)?.answer,

    /** Attempts to deliver updates to webhooks, in order. */
    deliveries: (bot: Bot) => world.deliveries.filter(({ botId }) => botId === bot.id),

    /** Unconfirmed updates. */
    pendingUpdates: (bot: Bot) => bot.updates.pending().map(({ update }) => update)
  }
}
