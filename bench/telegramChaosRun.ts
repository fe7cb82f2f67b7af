import { setTimeout as pause } from "node:timers/promises"
import type postgres from "postgres"
import type { FakeTelegram } from "#test/support/telegram/FakeTelegram.ts"
import { until, untilWithin } from "#test/support/until.ts"
import { seeded } from "./support/seeded.ts"
import { BUBBLES_PER_REPLY, type FakeBot, recordsOf, type Talk } from "./support/telegramRecords.ts"
import { startTelegramRig } from "./support/telegramRig.ts"
import { judge, type Verdict } from "./support/telegramVerdict.ts"

export interface TelegramChaosOptions {
  /** A separate database for this run, migrated or empty: the first process migrates it. */
  readonly databaseUrl: string
  readonly bots: number
  readonly chats: number
  /** The minimum number of bubbles to send, over all chats. */
  readonly bubbles: number
  readonly kills: number
  readonly processes: number
  /** Bots whose token is revoked and replaced during the run. */
  readonly revocations: number
  /** How many of a hundred sendMessage calls fail. */
  readonly faults: number
  readonly seed: number
}

export interface TelegramChaosReport extends Verdict {
  readonly bubbles: number
  readonly messages: number
  readonly kills: number
  readonly revocations: number
  /** The number of calls with each fault. */
  readonly faults: Readonly<Record<string, number>>
  /** Calls that exceeded one of the fake's rate limits. */
  readonly overCeiling: number
  readonly failedTurns: number
  readonly seconds: number
  readonly seed: number
}

/**
 * After a revocation, only the next call reports it, and a bot that nobody writes to makes none. Then its owner writes
 * after this time.
 */
const OWNER_ASKS_AFTER_MS = 10_000
/** One in this many chats is a group. */
const GROUP_EVERY = 10

const breakThings = (telegram: FakeTelegram, percent: number) => {
  const sixth = { method: "sendMessage", count: Infinity, probability: percent / 600 }
  telegram.fault(sixth, { kind: "drop_before" })
  telegram.fault(sixth, { kind: "drop_after" })
  telegram.fault(sixth, { kind: "html502" })
  telegram.fault(sixth, {
    kind: "error",
    code: 429,
    description: "Too Many Requests: retry after 2",
    parameters: { retry_after: 2 }
  })
  telegram.fault(sixth, { kind: "error", code: 500, description: "Internal Server Error: restart" })
  telegram.fault(sixth, { kind: "slow", ms: 700 })
  telegram.fault(
    { ...sixth, method: "sendChatAction" },
    { kind: "error", code: 429, description: "Too Many Requests: retry after 2", parameters: { retry_after: 2 } }
  )
}

/**
 * People write, characters answer, processes die and Telegram fails, all at the same time. Then both sides are
 * compared.
 */
export const runTelegramChaos = async (
  options: TelegramChaosOptions,
  say: (line: string) => void = () => {}
): Promise<TelegramChaosReport> => {
  const startedAt = performance.now()
  const random = seeded(options.seed)
  const pick = <A>(list: ReadonlyArray<A>): A => list[Math.floor(random() * list.length)] as A
  const rig = await startTelegramRig(options)
  const { telegram, sql, live, start } = rig
  try {
    await start()
    await Promise.all(Array.from({ length: options.processes - 1 }, start))
    const { app, appId, bots, idOf } = await rig.attach(options.bots, (index) =>
      index % 4 === 3 ? "resend_marked" : "skip"
    )
    const talks = Array.from({ length: options.chats }, (_, index): Talk => {
      const bot = bots[index % bots.length] as FakeBot
      const person = telegram.createUser({ first_name: `Guest ${index}` })
      const group = index % GROUP_EVERY === GROUP_EVERY - 1 ? telegram.createGroup([person]) : null
      if (group !== null) telegram.addBot(group, person, bot)
      return { bot, person, group, chatId: group?.id ?? person.id, said: [] }
    })
    breakThings(telegram, options.faults)

    const turns = Math.ceil(options.bubbles / options.chats / BUBBLES_PER_REPLY)
    /** Two messages at once, so that there is more to answer than a chat's burst allows. */
    const ask = ({ bot, person, group, said }: Talk) => {
      for (let n = 0; n < 2 && said.length < turns; n++) {
        const text = `Question ${said.length + 1} of ${person.user.first_name}.`
        said.push(text)
        telegram.say(person, group ?? bot, group === null ? text : `@${bot.username} ${text}`)
      }
    }
    /** Chats whose last message is answered and whose lane is at its end. */
    const calm = async () =>
      new Map(
        (
          await sql<Array<{ channel_id: string; chat_id: string; answered: number; calm: boolean }>>`
      select c.channel_id, c.chat_id::text, (select count(*)::int from turns t where t.app_id = c.app_id
        and t.session_id = c.session_id and t.outcome is not null) as answered,
        l.position >= l.head and l.owner is null as calm
      from telegram_chats c join lanes l using (app_id, session_id, channel_id) where c.app_id = ${appId}`
        ).map((row) => [`${row.channel_id} ${row.chat_id}`, row])
      )
    const failures: Array<unknown> = []
    const isOn = () => failures.length === 0
    let asking = true
    let kills = 0
    const killedAtMs: Array<number> = []
    const sent = () => telegram.calls({ method: "sendMessage" }).length
    const total = options.chats * turns * BUBBLES_PER_REPLY
    /** Kills are spread over the sends: no further messages are sent before the next due kill has happened. */
    const mayAsk = () => kills >= options.kills || sent() < (total * (kills + 1)) / options.kills
    const askAll = async () => {
      for (const talk of talks) ask(talk)
      while (isOn()) {
        await pause(200)
        const rows = await calm()
        const done = talks.filter((talk) => {
          const row = rows.get(`${idOf.get(talk.bot)} ${talk.chatId}`)
          const free = row?.calm === true && row.answered >= talk.said.length
          if (free && talk.said.length < turns && mayAsk()) ask(talk)
          return free && talk.said.length >= turns && row.answered >= turns
        })
        if (done.length === talks.length) break
      }
      asking = false
    }

    const reach = (due: number) => untilWithin(600_000, "sends to go on", () => sent() >= due || !asking || !isOn())
    const killer = async () => {
      for (; kills < options.kills && isOn(); kills++) {
        await reach(Math.floor((total * (kills + 0.5)) / options.kills))
        await until("a process beside the victim", () => live.length > 1 || !isOn())
        if (!isOn()) return
        const victim = pick(live)
        live.splice(live.indexOf(victim), 1)
        killedAtMs.push(Date.now())
        await victim.stop("SIGKILL")
        say(`kill ${kills + 1}: ${sent()} sends`)
        // A failed start is a finding, not a kill: it ends the run with its reason.
        start().catch((error: unknown) => failures.push(error))
      }
    }
    const revoker = async () => {
      for (const [index, bot] of bots.slice(0, options.revocations).entries()) {
        await reach(Math.floor((total * (index + 0.6)) / options.revocations))
        telegram.revokeToken(bot)
        const id = idOf.get(bot) ?? ""
        let askedNextAt = performance.now() + OWNER_ASKS_AFTER_MS
        const isRevoked = async () => {
          if ((await sql`select status from telegram_bots where channel_id = ${id}`)[0]?.["status"] === "revoked")
            return true
          if (performance.now() < askedNextAt) return false
          askedNextAt += OWNER_ASKS_AFTER_MS
          await app.post(`/v1/telegram/bots/${id}/probe`, {}).catch(() => {})
          return false
        }
        const isTaken = async () =>
          (await app.patch(`/v1/telegram/bots/${id}`, { token: bot.token }).catch(() => null))?.body?.data?.status ===
          "active"
        try {
          await until("the bot to be revoked", isRevoked)
          await until("the new token to be taken", isTaken)
        } catch (cause) {
          throw new Error(`${String(cause)}: ${JSON.stringify(await stateOf(sql, telegram, bot, id))}`, { cause })
        }
        say(`a token was revoked and replaced: ${sent()} sends`)
      }
    }
    await Promise.all(
      [askAll(), killer(), revoker()].map((work) => work.catch((error: unknown) => failures.push(error)))
    )
    if (!isOn()) throw failures[0]

    await rig.rest(bots)

    const records = await recordsOf(sql, telegram, talks, idOf)
    const faults: Record<string, number> = {}
    for (const { fault, answer } of telegram.calls()) {
      const name = fault === "error" && answer?.ok === false ? String(answer.error_code) : fault
      if (name !== undefined) faults[name] = (faults[name] ?? 0) + 1
    }
    for (const call of telegram.calls())
      if (call.fault === "rate_limit") say(whatCameBefore(telegram.calls(), call, killedAtMs))
    const [failed] = await sql`select count(*)::int as n from turns where outcome = 'failed'`
    return {
      ...judge(records),
      bubbles: records.reduce((sum, { bubbles }) => sum + bubbles.length, 0),
      messages: records.reduce((sum, { shown }) => sum + shown.length, 0),
      kills,
      revocations: options.revocations,
      faults,
      overCeiling: faults["rate_limit"] ?? 0,
      failedTurns: failed?.["n"] ?? 0,
      seconds: Math.round((performance.now() - startedAt) / 100) / 10,
      seed: options.seed
    }
  } finally {
    await rig.close()
  }
}

/** What was sent to a chat before a call that exceeded a rate limit, and how long before, for debugging. */
const whatCameBefore = (
  calls: ReturnType<FakeTelegram["calls"]>,
  over: ReturnType<FakeTelegram["calls"]>[number],
  killedAtMs: ReadonlyArray<number>
) => {
  const before = (atMs: number) => `${((over.atMs - atMs) / 1000).toFixed(3)} s before`
  const ofChat = calls
    .filter(
      (call) => call.botId === over.botId && call.chatId === over.chatId && call.atMs <= over.atMs && call !== over
    )
    .slice(-6)
  const kill = killedAtMs.findLast((atMs) => atMs <= over.atMs)
  const came = ofChat.map(
    ({ method, fault, atMs, endedAtMs }) =>
      `${method}${fault === undefined ? "" : ` (${fault})`} ` +
      `${before(atMs)}${endedAtMs === undefined ? "" : `, ended ${before(endedAtMs)}`}`
  )
  return (
    `over a ceiling: ${over.method} to ${over.chatId}; ${came.join("; ")}; kill ` +
    `${kill === undefined ? "none" : before(kill)}`
  )
}

/** The state of a bot that made no progress, for debugging. Without token and secrets. */
const stateOf = async (sql: postgres.Sql, telegram: FakeTelegram, bot: FakeBot, id: string) => ({
  bot: (
    await sql`
    select b.status, b.reason, b.token_version, b.health, b.probe_due_at, b.last_in_at, c.status as channel, c.version,
      c.not_before
    from telegram_bots b join channels c using (app_id, channel_id) where b.channel_id = ${id}`
  )[0],
  lanes: await sql`select session_id, status, position, head, owner, failures, sending, due_at from lanes
      where channel_id = ${id} and (position < head or owner is not null)`,
  updates: await sql`select kind, count(*)::int as waiting, max(error) as error from telegram_updates
      where channel_id = ${id} and done_at is null group by kind`,
  pending: telegram.pendingUpdates(bot).length,
  calls: telegram
    .calls({ bot })
    .slice(-10)
    .map(({ method, atMs, endedAtMs, fault, answer }) => ({
      method,
      at: new Date(atMs).toISOString(),
      endedAtMs,
      fault,
      answer: answer?.ok === false ? answer.error_code : answer?.ok
    }))
})
