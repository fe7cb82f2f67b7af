import type { Bot } from "./Bot.ts"
import type { World } from "./World.ts"

/** Sends the manager an update that one of its bots was created, has a new token or a new owner. */
export const announceManagedBot = (world: World, child: Bot): void => {
  const { management } = child
  const manager = world.bots.get(management?.managerId ?? 0)
  const owner = world.people.get(management?.ownerId ?? 0)
  if (manager !== undefined && owner !== undefined) {
    world.push(manager, "managed_bot", { user: owner.user, bot: child.user }, `managed_bot:${owner.id}`)
    world.changed()
  }
}
