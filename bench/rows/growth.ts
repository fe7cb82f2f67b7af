import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { Database } from "#src/db/postgres/Database.ts"
import { Memories } from "#src/db/memory/Memories.ts"
import * as PostgresMemoryStore from "#src/db/memory/PostgresMemoryStore.ts"
import { Worlds } from "#src/db/world/Worlds.ts"
import * as PostgresWorldStore from "#src/db/world/PostgresWorldStore.ts"
import * as PostgresRecall from "#src/db/memory/PostgresRecall.ts"
import * as PostgresTranscript from "#src/db/conversation/PostgresTranscript.ts"
import type { Row } from "../Row.ts"
import { APP, type BenchHarness, startBenchHarness } from "../support/BenchHarness.ts"
import { load } from "../support/load.ts"
import { longConversation } from "../support/longConversation.ts"
import { type Served, startServer } from "../support/processes.ts"
import { median, percentile, round } from "../support/statistics.ts"
import { openSession } from "./turn.ts"

const SESSIONS = 100_000
const EVENTS_EACH = 50
const PAGE = 20
/** The sessions with traffic while there are few: one page each, so a thousand events. */
const FEW = 50
const SECONDS = 3
const CONNECTIONS = 64
const TURNS = 200
const CONVERSATION = 650
const SESSIONS_PER_STEP = 5_000

const pick = <A>(items: ReadonlyArray<A>): A => items[Math.floor(Math.random() * items.length)] as A

const fill = async ({ sql, settle }: BenchHarness, sessions: ReadonlyArray<string>, events: number) => {
  for (let from = 0; from < sessions.length; from += SESSIONS_PER_STEP) {
    const some = sessions.slice(from, from + SESSIONS_PER_STEP)
    await sql`
      insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
      select ${APP}, s.id, c, 'evt_' ||
        lpad(((${from}::int + s.n) * 100 + c)::text, 26, '0'), 'message.created', case when c % 2 = 1 then 'user'
          else 'character' end, 'run_' || lpad(c::text, 26, '0'), 'api',
        '{"text":"A reply of ordinary length, as they come.",'
        '"bubbles":["A reply of ordinary length,","as they come."],"turn_index":1}'
      from unnest(${some}::text[]) with ordinality as s(id, n), generate_series(1, ${events}) c
      on conflict do nothing`
    await sql`update session_logs set last_cursor = greatest(last_cursor,
      ${events}::int) where app_id = ${APP} and session_id = any(${some}::text[])`
  }
  await settle()
}

/** Messages that were accepted to measure the speed are not answered. */
const leaveUnanswered = async ({ sql }: BenchHarness) => {
  await sql`delete from graphile_worker._private_jobs`
  await sql`update turns set outcome = 'withheld', settled_at = now() where outcome is null`
  await sql`update session_logs set open_turns = 0 where open_turns > 0`
  await sql.unsafe("vacuum analyze")
}

const NAMES = ["accept", "poll", "turn", "retrieval"] as const
type Measures = Readonly<Record<(typeof NAMES)[number], number>>

/** Medians in milliseconds. */
const measure = async (
  harness: BenchHarness,
  server: Served,
  sessions: ReadonlyArray<string>,
  talkIn: string,
  retrieving: () => Promise<{ readonly p50: number }>
): Promise<Measures> => {
  const headers = { authorization: `Bearer ${harness.key}`, "content-type": "application/json" }
  const through = { baseUrl: server.baseUrl, connections: CONNECTIONS, seconds: SECONDS, headers }
  const accept = await load({
    ...through,
    method: "POST",
    body: JSON.stringify({ text: "hello there, how are you today?" }),
    path: () => `/v1/sessions/${pick(sessions)}/messages`
  })
  await leaveUnanswered(harness)
  const poll = await load({
    ...through,
    method: "GET",
    path: () => `/v1/sessions/${pick(sessions)}/events?since=0&limit=${PAGE}`
  })
  const worker = await startServer(harness.url, "api,worker")
  const session = await openSession(harness, worker, talkIn)
  const turns: Array<number> = []
  for (let n = 0; n < TURNS; n++) turns.push(await session.turn())
  session.close()
  await worker.stop()
  return {
    accept: (1000 * CONNECTIONS) / accept.perSecond,
    poll: (1000 * CONNECTIONS) / poll.perSecond,
    turn: percentile(turns, 0.5),
    retrieval: (await retrieving()).p50
  }
}

/**
 * The duration of each hot path with a hundred thousand sessions and five million events, compared with a thousand
 * events.
 */
export const growth: Row = {
  name: "growth",
  run: async (rounds) => {
    const harness = await startBenchHarness(SESSIONS + 3)
    const runtime = ManagedRuntime.make(
      Layer.mergeAll(
        PostgresRecall.layer,
        PostgresTranscript.layer,
        PostgresMemoryStore.layer.pipe(Layer.provide(Memories.layer)),
        PostgresWorldStore.layer.pipe(Layer.provide(Worlds.layer))
      ).pipe(Layer.provide(Database.layer({ url: Redacted.make(harness.url), maxConnections: 2 })))
    )
    const server = await startServer(harness.url, "api")
    try {
      const [long = "", first = "", second = "", ...sessions] = harness.sessions
      const { retrieving } = await longConversation(harness, runtime, long, CONVERSATION)
      const all = async (among: ReadonlyArray<string>, talkIn: string) => {
        const measures: Array<Measures> = []
        for (let n = 0; n < rounds; n++) measures.push(await measure(harness, server, among, talkIn, retrieving))
        return measures
      }
      await fill(harness, sessions.slice(0, FEW), PAGE)
      const small = await all(sessions.slice(0, FEW), first)
      await fill(harness, sessions, EVENTS_EACH)
      const big = await all(sessions, second)
      const [row] = await harness.sql`select count(*)::int as events from events`
      return NAMES.map((name) => {
        const [limit, ours] = [median(small.map((one) => one[name])), median(big.map((one) => one[name]))]
        return {
          name: "growth",
          what: `${name} among ${row!["events"]} events of ${SESSIONS} sessions`,
          ours: round(ours),
          limit: round(limit),
          unit: "ms",
          ratio: round(ours / limit),
          goal: "<= 1.3",
          reached: ours / limit <= 1.3,
          raw: small.map((one, n) => ({ small_ms: round(one[name]), big_ms: round(big[n]?.[name] ?? Number.NaN) }))
        }
      })
    } finally {
      await server.stop()
      await runtime.dispose()
      await harness.close()
    }
  }
}
