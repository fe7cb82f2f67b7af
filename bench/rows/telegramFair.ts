import type { Row } from "../Row.ts"
import { addBots, botId, startBotApi } from "../support/bots.ts"
import { APP, type BenchHarness, startBenchHarness } from "../support/BenchHarness.ts"
import { startServer } from "../support/processes.ts"
import { median, percentile, round } from "../support/statistics.ts"

const LOUD = botId(0)
const QUIET = botId(1)
const LOUD_CHATS = 400
const QUIET_CHATS = 20
/** Messages per busy chat: more than a round can send. */
const BACKLOG = 40
const MESSAGES = 100
/**
 * Interval between two messages of the quiet bot. Each of its chats gets one every two seconds, which is within the
 * rate limit of a chat.
 */
const EVERY_MS = 100

/** The first sessions are in chats of the busy bot, the others in those of the quiet one. */
const openChats = async ({ sql, sessions }: BenchHarness) => {
  await sql`
    insert into telegram_chats (app_id, channel_id, chat_id, kind, session_id, external_user_ref)
    select ${APP}, case when n <= ${LOUD_CHATS}
      then ${LOUD} else ${QUIET} end, 100000 + n, 'private', id, 'u' || n
        from unnest(${[...sessions]}::text[]) with ordinality s(id, n)`
  await sql`insert into telegram_paces (app_id, channel_id, chat_id) select app_id, channel_id, chat_id
    from telegram_chats`
  await sql`insert into lanes (app_id, session_id, channel_id, generation, position, head, status) select app_id,
    session_id, channel_id, 1, 0, 0, 'idle' from telegram_chats`
}

const event = (text: string) => JSON.stringify({ text, bubbles: [text] })

/** Creates a backlog on every lane of the busy bot. */
const shout = async ({ sql }: BenchHarness) => {
  await sql`
    insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
    select l.app_id, l.session_id, s.last_cursor + n, 'evt_' || l.session_id || (s.last_cursor + n), 'message.created',
      'character', 'run_1', 'telegram', ${event("A word of the loud one.")}::text::json
    from lanes l join session_logs s using (app_id, session_id), generate_series(1,
      ${BACKLOG}) n where l.channel_id = ${LOUD}`
  await sql`update session_logs s
    set last_cursor = last_cursor +
      ${BACKLOG} from lanes l where l.session_id = s.session_id and l.channel_id = ${LOUD}`
  await sql`update lanes l set head = s.last_cursor, status = 'ready', due_at = now() from session_logs s
    where l.session_id = s.session_id and l.channel_id = ${LOUD}`
  await sql`select graphile_worker.add_job('deliver', '{}'::json)`
}
const hush = async ({ sql }: BenchHarness) => {
  await sql`update channels set status = 'paused', version = version + 1 where channel_id = ${LOUD}`
  for (let left = 1; left > 0;) {
    await new Promise((resume) => setTimeout(resume, 200))
    left = (await sql`select from lanes where channel_id = ${LOUD} and owner is not null`).length
  }
  await sql`update lanes set position = head, status = 'idle' where channel_id = ${LOUD}`
  await sql`update channels set status = 'active', version = version + 1 where channel_id = ${LOUD}`
}

/** Appends one message of the quiet bot, as the end of a turn does. */
const speak = async ({ sql }: BenchHarness, session: string, text: string) => {
  await sql`
    with log as (
      update session_logs set last_cursor = last_cursor + 1
        where app_id = ${APP} and session_id = ${session} returning last_cursor
    ), said as (
      insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
      select ${APP}, ${session}, last_cursor,
        'evt_' || ${session}::text || last_cursor, 'message.created', 'character', 'run_1', 'telegram',
          ${event(text)}::text::json from log
    ), moved as (
      update lanes set head = log.last_cursor, status = case status when 'idle' then 'ready' else status end,
        due_at = now() from log where session_id = ${session}
    )
    select graphile_worker.add_job('deliver', '{}'::json)`
}

/** The time from the commit of each message of the quiet bot to its arrival at the Bot API, in milliseconds. */
const latencies = async (harness: BenchHarness, arrivals: Map<string, number>): Promise<ReadonlyArray<number>> => {
  const quiet = harness.sessions.slice(LOUD_CHATS)
  const spoken = new Map<string, number>()
  arrivals.clear()
  for (let n = 0; n < MESSAGES; n++) {
    const text = `Word ${n} of the quiet one.`
    await speak(harness, quiet[n % quiet.length] ?? "", text)
    spoken.set(text, performance.now())
    await new Promise((resume) => setTimeout(resume, EVERY_MS))
  }
  while ([...spoken.keys()].some((text) => !arrivals.has(text))) await new Promise((resume) => setTimeout(resume, 20))
  return [...spoken].map(([text, at]) => (arrivals.get(text) ?? Number.NaN) - at)
}

export const telegramFair: Row = {
  name: "telegram-fair",
  run: async (rounds) => {
    const harness = await startBenchHarness(LOUD_CHATS + QUIET_CHATS)
    await addBots(harness, 2)
    await openChats(harness)
    const api = await startBotApi()
    const server = await startServer(harness.url, "worker", { TELEGRAM_API_ROOT: api.url })
    try {
      const raw: Array<Record<string, number>> = []
      await latencies(harness, api.arrivals)
      for (let n = 0; n < rounds; n++) {
        const alone = await latencies(harness, api.arrivals)
        const before = api.messages()
        await shout(harness)
        const startedAt = performance.now()
        const beside = await latencies(harness, api.arrivals)
        const loud = (api.messages() - before - MESSAGES) / ((performance.now() - startedAt) / 1000)
        await hush(harness)
        raw.push({
          alone_p50_ms: round(median(alone)),
          beside_p50_ms: round(median(beside)),
          alone_p99_ms: round(percentile(alone, 0.99)),
          beside_p99_ms: round(percentile(beside, 0.99)),
          loud_per_s: round(loud)
        })
      }
      const of = (name: string) => median(raw.map((row) => row[name] ?? Number.NaN))
      const ratio = round(of("beside_p50_ms") / of("alone_p50_ms"))
      return [
        {
          name: "telegram-fair",
          what:
            `from commit to the Bot API: a quiet bot beside one with ${LOUD_CHATS} chats that all have a ` +
            `backlog, ` +
            `against the quiet one alone`,
          ours: of("beside_p50_ms"),
          limit: of("alone_p50_ms"),
          unit: "ms",
          ratio,
          goal: "<= 1.2",
          reached: ratio <= 1.2,
          raw
        }
      ]
    } finally {
      await server.stop()
      api.close()
      await harness.close()
    }
  }
}
