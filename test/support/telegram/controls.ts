import type { BotOptions } from "./Bot.ts"
import type { BotApi } from "./BotApi.ts"
import type { CallFilter } from "./CallLog.ts"
import { botControl } from "./control/bots.ts"
import { groupControl } from "./control/groups.ts"
import { looks } from "./control/looks.ts"
import { peopleControl } from "./control/people.ts"
import type { FaultSelection, Trouble } from "./Faults.ts"
import type { World } from "./World.ts"

/** All that may be done and seen from outside the Bot API. */
export const controlsOf = (world: World, api: BotApi) => ({
  createBot: (bot: BotOptions = {}) => world.addBot(bot),
  findBot: (username: string) => world.botNamed(username),
  createUser: (user: Parameters<World["addPerson"]>[0] = {}) => world.addPerson(user),
  ...peopleControl(world),
  ...groupControl(world),
  ...botControl(world),
  ...looks(world),
  /** Lets calls go wrong: the next one that matches, unless the selection says how many. */
  fault: (selection: FaultSelection, trouble: Trouble) => api.faults.add(selection, trouble),
  clearFaults: () => api.faults.clear(),
  /** The calls so far, in their order. */
  calls: (filter?: CallFilter) => api.log.calls(filter),
  /** Resolves once so many calls that match have ended. */
  called: (filter: CallFilter, count?: number) => api.log.called(filter, count),
  /** Moves Telegram's time ahead. */
  advance: (ms: number) => world.clock.advance(ms),
  /** Telegram's time, in milliseconds. */
  nowMs: () => world.clock.nowMs()
})

export type Controls = ReturnType<typeof controlsOf>
