import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { BotApi } from "./BotApi.ts"
import { Clock } from "./Clock.ts"
import { controlsOf } from "./controls.ts"
import { Rates, type RateLimits } from "./Rates.ts"
import { Simulator } from "./sim/Simulator.ts"
import { World } from "./World.ts"

export interface FakeTelegramOptions {
  /** Default: 0, any free port. */
  readonly port?: number
  /**
   * How much faster than ours Telegram's time runs: retries, timeouts and message dates. At 0 it stands still unless it
   * is advanced.
   */
  readonly speed?: number
  /** Accepts webhooks with http URLs and on any port, for tests. Telegram itself does not. */
  readonly takesAnyWebhookUrl?: boolean
  readonly rates?: RateLimits
  /** Seed for random faults. */
  readonly seed?: number
  /** Serves `/_sim/`: the phone in the browser, and its actions over HTTP. */
  readonly hasSimulator?: boolean
}

/** A Bot API on loopback, with simulated people. Never for production. */
export const startFakeTelegram = async (options: FakeTelegramOptions = {}) => {
  if (process.env["NODE_ENV"] === "production") throw new Error("the fake Telegram does not run in production")
  const clock = new Clock(options.speed ?? 1)
  const world = new World(clock, options.takesAnyWebhookUrl ?? false)
  const api = new BotApi(world, new Rates(options.rates ?? {}, clock), options.seed ?? 1)
  const controls = controlsOf(world, api)
  const simulator = options.hasSimulator === true ? new Simulator(world, controls) : undefined

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "/", "http://localhost")
    const path = decodeURIComponent(url.pathname)
    if (await api.answer(path, url.searchParams, request, response)) return
    if ((await simulator?.answer(path, url.searchParams, request, response)) === true) return
    response
      .writeHead(404, { "content-type": "application/json" })
      .end(JSON.stringify({ ok: false, error_code: 404, description: "Not Found" }))
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(options.port ?? 0, "127.0.0.1", resolve)
  })

  return {
    ...controls,
    /** The `apiRoot` for a client. */
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Breaks all connections of clients. */
    breakConnections: () => server.closeAllConnections(),
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
