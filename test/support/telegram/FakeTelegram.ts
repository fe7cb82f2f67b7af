import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { BotOptions } from "./Bot.ts"
import { BotApi } from "./BotApi.ts"
import type { CallFilter } from "./CallLog.ts"
import { Clock } from "./Clock.ts"
import { botControl } from "./control/bots.ts"
import { groupControl } from "./control/groups.ts"
import { looks } from "./control/looks.ts"
import { peopleControl } from "./control/people.ts"
import type { FaultSelection, Trouble } from "./Faults.ts"
import { Rates, type RateLimits } from "./Rates.ts"
import { World } from "./World.ts"

export interface FakeTelegramOptions {
  /** 0, any free one, unless told. */
  readonly port?: number
  /** How much faster than ours Telegram's time runs: retries, time-outs and the date of messages. */
  readonly speed?: number
  /** Takes webhooks at http addresses and on any port, as tests need; Telegram itself does not. */
  readonly takesAnyWebhookUrl?: boolean
  readonly rates?: RateLimits
  /** Of the faults that come by chance. */
  readonly seed?: number
}

/** A Bot API on loopback, with people to play. Never for production. */
export const startFakeTelegram = async (options: FakeTelegramOptions = {}) => {
  if (process.env["NODE_ENV"] === "production") throw new Error("the fake Telegram does not run in production")
  const clock = new Clock(options.speed ?? 1)
  const world = new World(clock, options.takesAnyWebhookUrl ?? false)
  const api = new BotApi(world, new Rates(options.rates ?? {}, clock), options.seed ?? 1)

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost")
    if (await api.answer(decodeURIComponent(pathname), searchParams, request, response)) return
    response.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify({ ok: false, error_code: 404, description: "Not Found" }))
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(options.port ?? 0, "127.0.0.1", resolve)
  })

  return {
    /** The `apiRoot` of a client. */
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    createBot: (bot: BotOptions = {}) => world.addBot(bot),
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
    advance: (ms: number) => clock.advance(ms),
    /** Telegram's time, in milliseconds. */
    nowMs: () => clock.nowMs(),
    close: async (): Promise<void> => {
      world.close()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    }
  }
}

export type FakeTelegram = Awaited<ReturnType<typeof startFakeTelegram>>
