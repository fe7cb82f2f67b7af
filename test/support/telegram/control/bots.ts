import type { Bot } from "../Bot.ts"
import { announceManagedBot } from "../managedBots.ts"
import type { Person } from "../ChatState.ts"
import { Refusal } from "../Refusal.ts"
import type { World } from "../World.ts"

/** Maximum number of bots per account. */
const MAX_OWNED = 20
const MAX_OWNED_PREMIUM = 40

const refuse = (code: string) => new Refusal(400, code)

/** Actions of people with @BotFather and with links for new bots. */
export const botControl = (world: World) => ({
  /**
   * The person confirms t.me/newbot/<manager>/<username>, with the names as they edited them. Throws with Telegram's
   * code.
   */
  confirmNewBot: (
    manager: Bot,
    person: Person,
    { name, username }: { readonly username: string; readonly name: string }
  ): Bot => {
    if (!manager.me.can_manage_bots) throw refuse("MANAGER_PERMISSION_MISSING")
    if (name.trim() === "" || name.length > 64) throw refuse("NAME_INVALID")
    if (!/^[a-z](?:_?[a-z0-9]){4,31}$/i.test(username) || username.length > 32) throw refuse("USERNAME_INVALID")
    if (!/bot$/i.test(username)) throw refuse("USERNAME_SUFFIX_MISSING")
    if (world.botNamed(username) !== undefined) throw refuse("USERNAME_OCCUPIED")
    const owned = [...world.bots.values()].filter(({ management }) => management?.ownerId === person.id).length
    if (owned >= (person.user.is_premium === true ? MAX_OWNED_PREMIUM : MAX_OWNED))
      throw refuse("BOT_CREATE_LIMIT_EXCEEDED")
    const child = world.addBot({ username, name: name.trim() })
    child.management = { managerId: manager.id, ownerId: person.id, isRestricted: false, addedUserIds: [] }
    announceManagedBot(world, child)
    return child
  },

  /** The owner revokes the token in @BotFather. Returns the new one. */
  revokeToken: (bot: Bot): string => {
    const token = bot.rotate()
    announceManagedBot(world, bot)
    return token
  },

  /** Transfers the bot to another person. */
  transferBot: (bot: Bot, person: Person): void => {
    if (bot.management === undefined) throw new Error(`${bot.username} is managed by no bot`)
    bot.management.ownerId = person.id
    announceManagedBot(world, bot)
  },

  /** Telegram freezes the bot, or unfreezes it. */
  freeze: (bot: Bot, isFrozen = true): void => {
    bot.isFrozen = isFrozen
  },

  /** Deletes the bot and its token. */
  deleteBot: (bot: Bot): void => {
    bot.client.close()
    world.bots.delete(bot.id)
    world.changed()
  }
})
