import type { Row } from "../Row.ts"
import { addBots, botId, HOOK_SECRET, textUpdate } from "../support/bots.ts"
import { type BenchHarness, startBenchHarness } from "../support/BenchHarness.ts"
import { load } from "../support/load.ts"
import { startHello, startServer } from "../support/processes.ts"
import { median, round } from "../support/statistics.ts"

const BOTS = 1000
const CHATS = 10_000
/** Telegram opens this many connections per bot, and there are several bots. */
const CONNECTIONS = 128
const SECONDS = 3

const update = () => textUpdate(100_000 + Math.floor(Math.random() * CHATS))
const hook = () => `/v1/telegram/hooks/${botId(Math.floor(Math.random() * BOTS))}`

const post = (baseUrl: string, rate?: number) =>
  load({
    baseUrl,
    connections: CONNECTIONS,
    seconds: SECONDS,
    ...(rate !== undefined && { rate }),
    method: "POST",
    headers: { "content-type": "application/json", "x-telegram-bot-api-secret-token": HOOK_SECRET },
    body: update,
    path: hook
  })

const stored = async ({ sql }: BenchHarness): Promise<number> => {
  for (let before = -1; ;) {
    const [row] = await sql`select count(*)::int as n from telegram_updates`
    if (row!["n"] === before) break
    before = row!["n"]
    await new Promise((resume) => setTimeout(resume, 300))
  }
  const [row] = await sql`select count(*)::int as n from telegram_updates`
  await sql`truncate telegram_updates`
  await sql`delete from graphile_worker._private_jobs`
  return row!["n"]
}

export const telegramIn: Row = {
  name: "telegram-in",
  run: async (rounds) => {
    const harness = await startBenchHarness(1)
    await addBots(harness, BOTS)
    const server = await startServer(harness.url, "api")
    const hello = await startHello("")
    try {
      const raw: Array<Record<string, number>> = []
      for (let n = 0; n < rounds; n++) {
        const ours = await post(server.baseUrl)
        const rows = await stored(harness)
        if (ours.errors > 0 || rows < ours.perSecond * SECONDS * 0.99)
          throw new Error(`${ours.errors} errors, ${rows} rows of ${ours.perSecond * SECONDS}`)
        const bare = await post(hello.baseUrl)
        const half = await post(server.baseUrl, Math.floor(ours.perSecond / 2))
        await stored(harness)
        raw.push({
          ours_per_s: round(ours.perSecond),
          ours_p99_ms: ours.p99Ms,
          half_load_p50_ms: half.p50Ms,
          half_load_p99_ms: half.p99Ms,
          bare_per_s: round(bare.perSecond)
        })
      }
      const of = (name: string) => median(raw.map((row) => row[name] ?? Number.NaN))
      const ratio = round(of("ours_per_s") / of("bare_per_s"))
      return [
        {
          name: "telegram-in",
          what: `updates a second to ${BOTS} bots, deduplicated and durable, against a bare Fastify route`,
          ours: of("ours_per_s"),
          limit: of("bare_per_s"),
          unit: "/s",
          ratio,
          goal: ">= 0.3",
          reached: ratio >= 0.3,
          raw
        },
        {
          name: "telegram-in p99",
          what: "at half load",
          ours: of("half_load_p99_ms"),
          limit: 50,
          unit: "ms",
          ratio: round(of("half_load_p99_ms") / 50),
          goal: "<= 50 ms",
          reached: of("half_load_p99_ms") <= 50,
          raw: []
        }
      ]
    } finally {
      await hello.stop()
      await server.stop()
      await harness.close()
    }
  }
}
