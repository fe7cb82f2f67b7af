import type { BotOptions } from "./Bot.ts"
import type { BotApi } from "./BotApi.ts"
import type { CallFilter } from "./CallLog.ts"
import { botControl } from "./control/bots.ts"
import { groupControl } from "./control/groups.ts"
import { looks } from "./control/looks.ts"
import { peopleControl } from "./control/people.ts"
import type { FaultSelection, Trouble } from "./Faults.ts"
import type { World } from "./World.ts"

/** All actions and views outside of the Bot API. */
export const controlsOf = (world: World, api: BotApi) => ({
  createBot: (bot: BotOptions = {}) => world.addBot(bot),
  findBot: (username: string) => world.botNamed(username),
  createUser: (user: Parameters<World["addPerson"]>[0] = {}) => world.addPerson(user),
  ...peopleControl(world),
  ...groupControl(world),
  ...botControl(world),
  ...looks(world),
  /** Adds a fault for the next matching call, or for as many as the selection says. */
  fault: (selection: FaultSelection, trouble: Trouble) => api.faults.add(selection, trouble),
  clearFaults: () => api.faults.clear(),
  /** The calls so far, in order. */
  calls: (filter?: CallFilter) => api.log.calls(filter),
  /** Resolves once this many matching calls have ended. */
  called: (filter: CallFilter, count?: number) => api.log.called(filter, count),
  /** Advances Telegram's time. */
  advance: (ms: number) => world.clock.advance(ms),
  /** Telegram's time, in milliseconds. */
  nowMs: () => world.clock.nowMs()
})

export type Controls = ReturnType<typeof controlsOf>
