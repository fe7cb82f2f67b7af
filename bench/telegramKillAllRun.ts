import { setTimeout as pause } from "node:timers/promises"
import { type FakeBot, recordsOf, type Talk } from "./support/telegramRecords.ts"
import { startTelegramRig } from "./support/telegramRig.ts"
import { judge, type Verdict } from "./support/telegramVerdict.ts"

export interface KillAllOptions {
  /** A separate database for this run, migrated or empty: the first process migrates it. */
  readonly databaseUrl: string
  readonly bots: number
  /** New chats in each round. */
  readonly chats: number
  readonly rounds: number
  /** How long a round has been running when every process is killed. */
  readonly killAfterMs: number
  readonly processes: number
  readonly seed: number
}

export interface KillAllReport extends Verdict {
  readonly bubbles: number
  /** Bubbles that never arrived, whatever their record says. */
  readonly missing: number
  /** Intents on record when the processes were killed. At most so many bubbles may be unknown. */
  readonly intents: number
  readonly rounds: number
  readonly failedTurns: number
  readonly seconds: number
  readonly seed: number
}

/**
 * People start bots and write, and after a while every process is killed at once, in each round. Telegram itself never
 * fails, so only what was in flight may be unknown.
 */
export const runTelegramKillAll = async (
  options: KillAllOptions,
  say: (line: string) => void = () => {}
): Promise<KillAllReport> => {
  const startedAt = performance.now()
  const rig = await startTelegramRig(options)
  const { telegram, sql, live } = rig
  const startAll = () => Promise.all(Array.from({ length: options.processes }, rig.start))
  const talks: Array<Talk> = []
  try {
    // The first process migrates the database.
    await rig.start()
    await Promise.all(Array.from({ length: options.processes - 1 }, rig.start))
    const { bots, idOf } = await rig.attach(options.bots, () => "skip")
    let intents = 0
    for (let round = 1; round <= options.rounds; round++) {
      for (let n = 0; n < options.chats; n++) {
        const bot = bots[n % bots.length] as FakeBot
        const person = telegram.createUser({ first_name: `Guest ${talks.length}` })
        const text = `Question of guest ${talks.length}.`
        talks.push({ bot, person, group: null, chatId: person.id, said: [text] })
        telegram.start(person, bot)
        telegram.say(person, bot, text)
      }
      await pause(options.killAfterMs)
      await Promise.all(live.splice(0).map((process) => process.stop("SIGKILL")))
      const [left] = await sql`select count(*)::int as n from lanes where sending is not null`
      intents += left?.["n"] ?? 0
      await startAll()
      await rig.rest(bots)
      const { lost, gaps, unknown } = judge(await recordsOf(sql, telegram, talks, idOf))
      say(`round ${round}, in all: ${intents} intents at kills, ${unknown} unknown, ${lost + gaps} missing`)
    }
    const records = await recordsOf(sql, telegram, talks, idOf)
    const verdict = judge(records)
    const [failed] = await sql`select count(*)::int as n from turns where outcome = 'failed'`
    return {
      ...verdict,
      bubbles: records.reduce((sum, { bubbles }) => sum + bubbles.length, 0),
      missing: verdict.lost + verdict.gaps,
      intents,
      rounds: options.rounds,
      failedTurns: failed?.["n"] ?? 0,
      seconds: Math.round((performance.now() - startedAt) / 100) / 10,
      seed: options.seed
    }
  } finally {
    await rig.close()
  }
}
