import { existsSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { Row } from "../Row.ts"
import { addBots, botId, HOOK_SECRET, startBotApi, textUpdate } from "../support/bots.ts"
import { type BenchHarness, startBenchHarness } from "../support/BenchHarness.ts"
import { load } from "../support/load.ts"
import { residentBytes, type Served, startServer } from "../support/processes.ts"
import { median, round } from "../support/statistics.ts"

const BOTS = 10_000
const UPDATES_PER_SECOND = 200
const SECONDS = 6
const PRELOAD = resolve(import.meta.dirname, "../support/loopDelay.ts")

/** The event loop delay of the server since the last call. */
const loopDelay = async (
  { pid }: Served,
  file: string
): Promise<{ readonly p50: number; readonly p99: number; readonly max: number }> => {
  rmSync(file, { force: true })
  process.kill(pid, "SIGUSR2")
  while (!existsSync(file)) await new Promise((resume) => setTimeout(resume, 20))
  await new Promise((resume) => setTimeout(resume, 50))
  return JSON.parse(readFileSync(file, "utf8"))
}

/**
 * Emptied tables are not analyzed: the tables of a new fleet would have no statistics either. A plan for an empty table
 * would scan everything that arrives.
 */
const clean = async ({ sql }: BenchHarness) => {
  await sql`truncate telegram_updates, telegram_chats, events, turns, turn_stages, lanes, delivery_attempts, sessions,
    session_logs, end_users cascade`
  await sql`delete from telegram_paces where chat_id <> 0`
  await sql`delete from graphile_worker._private_jobs`
  await sql.unsafe("vacuum analyze telegram_bots, channels, telegram_paces")
}

/** Attaches this many of the bots. The others exist but are not used. */
const attach = async (harness: BenchHarness, bots: number) => {
  await clean(harness)
  const changed = await harness.sql`
    update telegram_bots set status = case when user_id < ${1_000_000 + bots} then 'active' else 'detached' end
    where (status = 'active') <> (user_id < ${1_000_000 + bots})`
  if (changed.count > 0) await harness.sql.unsafe("vacuum analyze telegram_bots")
}

/** A process with this many bots, which receive messages all the time. With the worker role, it also answers them. */
const run = async (harness: BenchHarness, bots: number, roles: string) => {
  await attach(harness, bots)
  const { sql } = harness
  const api = await startBotApi()
  const file = join(tmpdir(), `troupe-loop-${process.pid}.json`)
  const startedAt = performance.now()
  const server = await startServer(harness.url, roles, {
    TELEGRAM_API_ROOT: api.url,
    NODE_OPTIONS: `--import=${PRELOAD}`,
    LOOP_DELAY_FILE: file
  })
  const startSeconds = (performance.now() - startedAt) / 1000
  try {
    await loopDelay(server, file)
    const taken = await load({
      baseUrl: server.baseUrl,
      connections: 40,
      seconds: SECONDS,
      rate: UPDATES_PER_SECOND,
      method: "POST",
      headers: { "content-type": "application/json", "x-telegram-bot-api-secret-token": HOOK_SECRET },
      body: () => textUpdate(100_000 + Math.floor(Math.random() * 500)),
      path: () => `/v1/telegram/hooks/${botId(Math.floor(Math.random() * bots))}`
    })
    const delay = await loopDelay(server, file)
    const [row] = await sql`select count(*)::int as stored from telegram_updates`
    if (taken.errors > 0) throw new Error(`${taken.errors} errors`)
    return {
      startSeconds,
      megabytes: residentBytes(server.pid) / 2 ** 20,
      delay,
      p99Ms: taken.p99Ms,
      perSecond: (row!["stored"] as number) / SECONDS,
      sentPerSecond: api.messages() / SECONDS
    }
  } finally {
    await server.stop()
    api.close()
    rmSync(file, { force: true })
  }
}

export const fleet: Row = {
  name: "fleet",
  run: async (rounds) => {
    const harness = await startBenchHarness(1)
    await addBots(harness, BOTS)
    try {
      const raw: Array<Record<string, number>> = []
      for (let n = 0; n < rounds; n++) {
        const one = await run(harness, 1, "api,worker")
        const all = await run(harness, BOTS, "api,worker")
        const inbound = await run(harness, BOTS, "api")
        raw.push({
          start_s: round(all.startSeconds),
          start_one_bot_s: round(one.startSeconds),
          mb: round(all.megabytes),
          mb_one_bot: round(one.megabytes),
          mb_in: round(inbound.megabytes),
          loop_p99_ms: round(all.delay.p99),
          loop_p99_one_bot_ms: round(one.delay.p99),
          updates_per_s: round(all.perSecond),
          sent_per_s: round(all.sentPerSecond),
          in_loop_p99_ms: round(inbound.delay.p99),
          in_loop_max_ms: round(inbound.delay.max),
          in_updates_per_s: round(inbound.perSecond),
          in_answer_p99_ms: inbound.p99Ms
        })
      }
      const of = (name: string) => median(raw.map((row) => row[name] ?? Number.NaN))
      const ratio = (ours: string, limit: string) => round(of(ours) / of(limit))
      const loop = (name: string, what: string, field: string) => ({
        name,
        what:
          `delay of the event loop, 99th of a hundred, with ${BOTS} bots under ${UPDATES_PER_SECOND} updates/s: ` +
          `${what}`,
        ours: of(field),
        limit: 50,
        unit: "ms",
        ratio: round(of(field) / 50),
        goal: "< 50 ms",
        reached: of(field) < 50,
        raw: []
      })
      return [
        {
          name: "fleet memory",
          what: `${BOTS} bots under ${UPDATES_PER_SECOND} updates/s against one bot under as many`,
          ours: of("mb"),
          limit: of("mb_one_bot"),
          unit: "MB",
          ratio: ratio("mb", "mb_one_bot"),
          goal: "< 150 MB more",
          reached: of("mb") - of("mb_one_bot") < 150,
          raw
        },
        {
          name: "fleet start",
          what: `to ready with ${BOTS} bots, against one`,
          ours: of("start_s"),
          limit: of("start_one_bot_s"),
          unit: "s",
          ratio: ratio("start_s", "start_one_bot_s"),
          goal: "< 2 s",
          reached: of("start_s") < 2,
          raw: []
        },
        loop("fleet in", "a process that takes them in", "in_loop_p99_ms"),
        loop("fleet", "a process that also answers them", "loop_p99_ms")
      ]
    } finally {
      await harness.close()
    }
  }
}
