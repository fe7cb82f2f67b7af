import { clean, runOurs, SECONDS, SESSIONS } from "../rows/accept.ts"
import { cpuMs, databaseCpuMs } from "./processorTime.ts"
import type { Result } from "../Row.ts"
import { type BenchHarness, startBenchHarness } from "./BenchHarness.ts"
import { type Served, startServer } from "./processes.ts"
import { median, round } from "./statistics.ts"

const SENDERS = 64
/** Accept may become slower by this much. */
const LEAST = 0.97

interface Besides {
  readonly name: string
  readonly what: string
  readonly env?: Record<string, string>
  /** Opens what runs beside accept. The returned function ends it. */
  readonly open: (harness: BenchHarness, server: Served) => Promise<() => void>
}

/** The processor time of the server and of its database so far, in milliseconds. */
const spentMs = async (harness: BenchHarness, { pid }: Served) => cpuMs(pid) + (await databaseCpuMs(harness))

/** Sends, and the processor time for each of them. On a machine that others use, that is steadier than the rate. */
const send = async (harness: BenchHarness, server: Served) => {
  const before = await spentMs(harness, server)
  const { perSecond, errors } = await runOurs(harness, server, SENDERS)
  const spent = (await spentMs(harness, server)) - before
  return { perSecond, errors, cpuUs: (spent * 1000) / (perSecond * SECONDS) }
}

/** Sends with and without something beside them, alternately. */
export const measureBesides = async (
  { name, what, env = {}, open }: Besides,
  rounds: number
): Promise<ReadonlyArray<Result>> => {
  const harness = await startBenchHarness(SESSIONS)
  const server = await startServer(harness.url, "api", env)
  const raw: Array<Record<string, number>> = []
  try {
    for (let n = 0; n < rounds; n++) {
      await clean(harness)
      const none = await send(harness, server)
      await clean(harness)
      const end = await open(harness, server)
      const beside = await send(harness, server)
      end()
      raw.push({
        none_per_s: round(none.perSecond),
        beside_per_s: round(beside.perSecond),
        none_cpu_us: round(none.cpuUs),
        beside_cpu_us: round(beside.cpuUs),
        ratio: beside.perSecond / none.perSecond,
        errors: none.errors + beside.errors
      })
    }
  } finally {
    await server.stop()
    await harness.close()
  }
  const of = (field: string) => median(raw.map((row) => row[field] ?? Number.NaN))
  return [
    {
      name,
      what: `sends committed over HTTP with ${what}, against none`,
      ours: of("beside_per_s"),
      limit: of("none_per_s"),
      unit: "/s",
      ratio: round(of("ratio")),
      goal: `>= ${LEAST}`,
      reached: of("ratio") >= LEAST,
      raw
    }
  ]
}
