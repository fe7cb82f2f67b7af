import postgres from "postgres"
import { newId } from "#pipeline/domain/Id.ts"
import type { Result, Row } from "../Row.ts"
import { APP, type BenchHarness, startBenchHarness } from "../support/BenchHarness.ts"
import { load } from "../support/load.ts"
import { type Served, startHello, startServer } from "../support/processes.ts"
import { median, round } from "../support/statistics.ts"

export const SESSIONS = 10_000
export const SECONDS = 3
const BODY = JSON.stringify({ text: "hello there, how are you today?" })
const pick = <A>(items: ReadonlyArray<A>): A => items[Math.floor(Math.random() * items.length)] as A

/** The same rows with one transaction per send, including the job. */
const unbatched = async (sql: postgres.Sql, session: string) => {
  await sql.begin(async (t) => {
    const [log] = await t`
      update session_logs set last_cursor = last_cursor + 2, turn_count = turn_count + 1, open_turns = open_turns + 1,
        last_user_at = now()
      where app_id = ${APP} and session_id = ${session} returning last_cursor, turn_count`
    const run = newId("run")
    await t`
      insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
      values (${APP}, ${session}, ${log!["last_cursor"] - 1}, ${newId("evt")}, 'message.created', 'user', ${run}, 'api',
        ${BODY}::text::json),
        (${APP}, ${session}, ${log!["last_cursor"]}, ${newId("evt")}, 'run.status', 'character', ${run}, 'api',
          ${BODY}::text::json)`
    await t`
      insert into turns (app_id, session_id, turn_index, run_ref, cursor, reply_mode, source_kind, hold_micro_usd)
      values (${APP}, ${session}, ${log!["turn_count"]}, ${run}, ${log!["last_cursor"]}, 'fast', 'api', 0)`
    await t`
      select graphile_worker.add_job('turn', json_build_object('app_id', ${APP}::text, 'session_id', ${session}::text))`
  })
}

const runUnbatched = async (harness: BenchHarness, senders: number, clients: number) => {
  const sql = postgres(harness.url, { max: clients, onnotice: () => {} })
  let done = 0
  const until = performance.now() + SECONDS * 1000
  await Promise.all(
    Array.from({ length: senders }, async () => {
      while (performance.now() < until) {
        await unbatched(sql, pick(harness.sessions))
        done++
      }
    })
  )
  await sql.end()
  return done / SECONDS
}

export const runOurs = (harness: BenchHarness, server: Served, senders: number, rate?: number) =>
  load({
    baseUrl: server.baseUrl,
    connections: senders,
    seconds: SECONDS,
    ...(rate === undefined ? {} : { rate }),
    method: "POST",
    headers: { authorization: `Bearer ${harness.key}`, "content-type": "application/json" },
    body: BODY,
    path: () => `/v1/sessions/${pick(harness.sessions)}/messages`
  })

/**
 * The load driver disconnects while requests are still being answered. Their commits must not fall into the next
 * measurement.
 */
const allAnswered = async ({ sql }: BenchHarness) => {
  for (let before = -1; ;) {
    const [row] = await sql`select count(*)::int as turns from turns`
    if (row!["turns"] === before) return
    before = row!["turns"]
    await new Promise((resume) => setTimeout(resume, 300))
  }
}

/** Between rounds, so that the rows of one measurement do not slow down the next. */
export const clean = async (harness: BenchHarness) => {
  await allAnswered(harness)
  const { sql } = harness
  await sql`truncate events, turns, turn_stages`
  await sql`update session_logs set last_cursor = 0, turn_count = 0, open_turns = 0`
  await sql`delete from graphile_worker._private_jobs`
  await sql.unsafe("vacuum (analyze) session_logs")
  await sql.unsafe("vacuum (analyze) graphile_worker._private_jobs")
}

const sample = async (harness: BenchHarness, server: Served) => {
  const response = await fetch(`${server.baseUrl}/v1/sessions/${harness.sessions[0]}/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${harness.key}`, "content-type": "application/json" },
    body: BODY
  })
  return response.text()
}

const measure = async (rounds: number): Promise<ReadonlyArray<Result>> => {
  const harness = await startBenchHarness(SESSIONS)
  const server = await startServer(harness.url, "api")
  const hello = await startHello(await sample(harness, server))
  const results: Array<Result> = []
  try {
    for (const senders of [64, 256]) {
      const raw: Array<Record<string, number>> = []
      for (let n = 0; n < rounds; n++) {
        await clean(harness)
        const ours = await runOurs(harness, server, senders)
        await clean(harness)
        const half = await runOurs(harness, server, senders, Math.floor(ours.perSecond / 2))
        const bare = await load({
          baseUrl: hello.baseUrl,
          connections: senders,
          seconds: SECONDS,
          method: "POST",
          headers: { "content-type": "application/json" },
          body: BODY,
          path: () => "/v1/sessions/x/messages"
        })
        await clean(harness)
        const clients20 = await runUnbatched(harness, senders, 20)
        await clean(harness)
        const clients40 = await runUnbatched(harness, senders, 40)
        raw.push({
          ours_per_s: round(ours.perSecond),
          ours_p50_ms: ours.p50Ms,
          ours_p99_ms: ours.p99Ms,
          errors: ours.errors + half.errors,
          half_load_p50_ms: half.p50Ms,
          half_load_p99_ms: half.p99Ms,
          hello_per_s: round(bare.perSecond),
          unbatched20_per_s: round(clients20),
          unbatched40_per_s: round(clients40)
        })
      }
      const of = (name: string) => median(raw.map((row) => row[name] ?? Number.NaN))
      const unbatchedBest = Math.max(of("unbatched20_per_s"), of("unbatched40_per_s"))
      const ours = of("ours_per_s")
      results.push(
        {
          name: "accept",
          what: `sends committed over HTTP, ${senders} senders`,
          ours,
          limit: unbatchedBest,
          unit: "/s",
          ratio: round(ours / unbatchedBest),
          goal: ">= 3",
          reached: ours / unbatchedBest >= 3,
          raw
        },
        {
          name: "accept p99",
          what: `at half load, ${senders} senders`,
          ours: of("half_load_p99_ms"),
          limit: 60,
          unit: "ms",
          ratio: round(of("half_load_p99_ms") / 60),
          goal: "<= 60 ms",
          reached: of("half_load_p99_ms") <= 60,
          raw: []
        },
        {
          name: "accept-hello",
          what: `the same against a bare Fastify route, ${senders} senders`,
          ours,
          limit: of("hello_per_s"),
          unit: "/s",
          ratio: round(ours / of("hello_per_s")),
          goal: ">= 0.4",
          reached: ours / of("hello_per_s") >= 0.4,
          raw: []
        }
      )
    }
  } finally {
    await hello.stop()
    await server.stop()
    await harness.close()
  }
  return results
}

export const accept: Row = { name: "accept", run: measure }
