import { setTimeout } from "node:timers/promises"
import type { Row } from "../Row.ts"
import { type BenchHarness, startBenchHarness } from "../support/BenchHarness.ts"
import { load } from "../support/load.ts"
import { startServer } from "../support/processes.ts"
import { median, round } from "../support/statistics.ts"
import { cpuMs, databaseCpuMs } from "../support/processorTime.ts"

const SESSIONS = 2_000
/** Messages per second: well below what a process carries, so that nothing waits. */
const RATE = 40
const SECONDS = 60
const CONNECTIONS = 32

/** What people write: things to remember, questions and small talk. */
const TEXTS = [
  "My sister Ida lives in Bergen and plays the cello.",
  "What is for dinner tonight?",
  "I had a long day at work, my boss shouted at me.",
  "Do you like the rain?",
  "I am going to Lisbon on Friday.",
  "good night"
]

const pick = <A>(items: ReadonlyArray<A>): A => items[Math.floor(Math.random() * items.length)] as A

const databaseBytes = async ({ sql }: BenchHarness): Promise<number> => {
  await sql.unsafe("vacuum full")
  const [row] = await sql<[{ bytes: number }]>`
    select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class where relkind in ('r', 'm')
      and relnamespace::regnamespace::text in ('public', 'graphile_worker')`
  return row.bytes
}

const messages = async ({ sql }: BenchHarness): Promise<number> => {
  const [row] = await sql<[{ n: number }]>`select count(*)::int as n from turns`
  return row.n
}

const allAnswered = async ({ sql }: BenchHarness): Promise<void> => {
  for (;;) {
    const [row] = await sql<[{ open: number }]>`
      select (select count(*) from turns where outcome is null)::int
        + (select count(*) from graphile_worker._private_jobs where attempts = 0 and run_at <= now())::int as open`
    if (row.open === 0) return
    await setTimeout(500)
  }
}

const measure = async (harness: BenchHarness) => {
  const bytesBefore = await databaseBytes(harness)
  const server = await startServer(harness.url, "api,worker")
  const said = await messages(harness)
  const [processBefore, databaseBefore] = [cpuMs(server.pid), await databaseCpuMs(harness)]
  const { errors } = await load({
    baseUrl: server.baseUrl,
    connections: CONNECTIONS,
    seconds: SECONDS,
    rate: RATE,
    method: "POST",
    headers: { authorization: `Bearer ${harness.key}`, "content-type": "application/json" },
    body: () => JSON.stringify({ text: pick(TEXTS) }),
    path: () => `/v1/sessions/${pick(harness.sessions)}/messages`
  })
  await allAnswered(harness)
  const [process, database] = [cpuMs(server.pid) - processBefore, (await databaseCpuMs(harness)) - databaseBefore]
  await server.stop()
  const count = (await messages(harness)) - said
  return {
    messages: count,
    errors,
    process_cpu_ms: round(process / count),
    database_cpu_ms: round(database / count),
    bytes: Math.round(((await databaseBytes(harness)) - bytesBefore) / count)
  }
}

/** What one message costs from its acceptance to the reply on the log: processor time, and bytes in the database. */
export const message: Row = {
  name: "message",
  run: async (rounds) => {
    const harness = await startBenchHarness(SESSIONS)
    const raw: Array<Awaited<ReturnType<typeof measure>>> = []
    try {
      for (let n = 0; n < rounds; n++) raw.push(await measure(harness))
    } finally {
      await harness.close()
    }
    const ours = median(raw.map((one) => one.process_cpu_ms + one.database_cpu_ms))
    return [
      {
        name: "message",
        what: "processor time of a message and its reply, in the process and the database",
        ours: round(ours),
        limit: round(median(raw.map((one) => one.database_cpu_ms))),
        unit: "ms",
        ratio: round(ours / median(raw.map((one) => one.database_cpu_ms))),
        goal: "for the capacity model",
        reached: true,
        raw
      }
    ]
  }
}
