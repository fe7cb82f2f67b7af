import { setTimeout } from "node:timers/promises"
import type { Row } from "../Row.ts"
import { type BenchHarness, startBenchHarness } from "../support/BenchHarness.ts"
import { addFleetOfApps, FLEET } from "../support/fleetOfApps.ts"
import { type Served, startServer } from "../support/processes.ts"
import { cpuMs, databaseCpuMs } from "../support/processorTime.ts"
import { round } from "../support/statistics.ts"

const PROCESSES = [1, 3, 12]
const SECONDS = 60
/** Until what a start causes is done. */
const SETTLE_SECONDS = 30
const transactions = async ({ sql }: BenchHarness): Promise<number> => {
  const [row] = await sql<[{ n: number }]>`
    select (xact_commit + xact_rollback)::float8 as n from pg_stat_database where datname = current_database()`
  return row.n
}

/** What this many processes cost per second while nothing happens. */
const measure = async (harness: BenchHarness, count: number) => {
  const servers: Array<Served> = []
  // One after another, because many that start at once wait for the processor for too long.
  while (servers.length < count)
    servers.push(await startServer(harness.url, "api,worker", { PUBLIC_URL: "https://bench.example" }))
  await setTimeout(SETTLE_SECONDS * 1000)
  const usage = async () => ({
    transactions: await transactions(harness),
    processes: servers.reduce((sum, { pid }) => sum + cpuMs(pid), 0),
    database: await databaseCpuMs(harness)
  })
  const before = await usage()
  await setTimeout(SECONDS * 1000)
  const after = await usage()
  await Promise.all(servers.map((server) => server.stop()))
  const perSecond = (name: keyof typeof before) => round((after[name] - before[name]) / SECONDS)
  return {
    count,
    transactions_per_s: perSecond("transactions"),
    process_cpu_ms_per_s: perSecond("processes"),
    database_cpu_ms_per_s: perSecond("database")
  }
}

/** Transactions and processor time per second of idle processes beside a large fleet. */
export const idle: Row = {
  name: "idle",
  run: async () => {
    const harness = await startBenchHarness(0)
    try {
      await addFleetOfApps(harness)
      const raw: Array<Awaited<ReturnType<typeof measure>>> = []
      for (const count of PROCESSES) raw.push(await measure(harness, count))
      const [few, many] = [raw[0], raw.at(-1)]
      const size = `${FLEET.bots} bots and ${FLEET.sessions} sessions`
      return (["transactions_per_s", "database_cpu_ms_per_s"] as const).map((name) => {
        const [limit, ours] = [few?.[name] ?? Number.NaN, many?.[name] ?? Number.NaN]
        return {
          name: "idle",
          what: `${name} of ${many?.count} idle processes against ${few?.count}, ${size}`,
          ours,
          limit,
          unit: "",
          ratio: round(ours / limit),
          goal: "<= 4",
          reached: ours / limit <= 4,
          raw
        }
      })
    } finally {
      await harness.close()
    }
  }
}
