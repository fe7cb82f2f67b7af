import { freePort } from "#test/support/freePort.ts"
import type { Result, Row } from "../Row.ts"
import { type BenchHarness, startBenchHarness } from "../support/BenchHarness.ts"
import { type Served, startServer, startSink } from "../support/processes.ts"
import { median, round } from "../support/statistics.ts"
import { clean, runOurs, SESSIONS } from "./accept.ts"
import { openSession } from "./turn.ts"

const SENDERS = 64
const TURNS = 300
const SCRAPE_MS = 1000
const KINDS = ["none", "scraped", "traced"] as const
type Kind = (typeof KINDS)[number]

/** Reads the metrics every second, fifteen times as often as Prometheus does by default. */
const scrape = (port: number): (() => void) => {
  const timer = setInterval(() => {
    void fetch(`http://127.0.0.1:${port}/metrics`)
      .then((response) => response.arrayBuffer())
      // Between two servers there is nothing to read.
      .catch(() => {})
  }, SCRAPE_MS)
  return () => clearInterval(timer)
}

/** Milliseconds of a turn in one session, as a median. */
const turnMs = async (harness: BenchHarness, server: Served): Promise<number> => {
  const session = await openSession(harness, server, harness.sessions[0] ?? "")
  const turns: Array<number> = []
  for (let n = 0; n < TURNS; n++) turns.push(await session.turn())
  session.close()
  return median(turns)
}

const measure = async (rounds: number): Promise<ReadonlyArray<Result>> => {
  const harness = await startBenchHarness(SESSIONS)
  const sink = await startSink()
  const port = await freePort()
  const traced = {
    OTEL_EXPORTER_OTLP_ENDPOINT: sink.baseUrl,
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.1"
  }
  const envs: Readonly<Record<Kind, Record<string, string>>> = {
    none: {},
    scraped: { OPERATIONS_PORT: String(port) },
    traced
  }
  const raw: Array<Record<string, number>> = []
  try {
    for (let n = 0; n < rounds; n++) {
      const row: Record<string, number> = {}
      // In another order every round, so that none is always the first.
      for (const kind of KINDS.map((_, at) => KINDS[(at + n) % KINDS.length] ?? "none")) {
        const api = await startServer(harness.url, "api", envs[kind])
        const stopScraping = kind === "scraped" ? scrape(port) : () => {}
        await clean(harness)
        row[`${kind}_accept_per_s`] = round((await runOurs(harness, api, SENDERS)).perSecond)
        await api.stop()
        await clean(harness)
        const both = await startServer(harness.url, "api,worker", envs[kind])
        row[`${kind}_turn_ms`] = round(await turnMs(harness, both))
        await both.stop()
        stopScraping()
      }
      raw.push(row)
    }
  } finally {
    await sink.stop()
    await harness.close()
  }
  const of = (name: string) => median(raw.map((row) => row[name] ?? Number.NaN))
  const accept = (kind: Kind, what: string, most: number): Result => {
    const [ours, limit] = [of(`${kind}_accept_per_s`), of("none_accept_per_s")]
    const goal = 1 - most
    return {
      name: "telemetry",
      what: `sends committed over HTTP ${what}, against none`,
      ours,
      limit,
      unit: "/s",
      ratio: round(ours / limit),
      goal: `>= ${goal}`,
      reached: ours / limit >= goal,
      raw: []
    }
  }
  const turn = (kind: Kind, what: string, most: number): Result => {
    const [ours, limit] = [of(`${kind}_turn_ms`), of("none_turn_ms")]
    return {
      name: "telemetry",
      what: `p50 of a turn ${what}, against none`,
      ours,
      limit,
      unit: "ms",
      ratio: round(ours / limit),
      goal: `<= ${1 + most}`,
      reached: ours / limit <= 1 + most,
      raw: []
    }
  }
  const [scraped, sampled] = ["with its metrics read every second", "with a tenth of the traces sent"]
  return [
    { ...accept("scraped", scraped, 0.02), raw },
    turn("scraped", scraped, 0.02),
    accept("traced", sampled, 0.04),
    turn("traced", sampled, 0.04)
  ]
}

/** What metrics and traces cost the hot paths. */
export const telemetry: Row = { name: "telemetry", run: measure }
