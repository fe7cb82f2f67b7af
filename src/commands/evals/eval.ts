import { readFile } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as check from "#src/settings/checks.ts"
import { type Api, connect, type ServerFlags } from "#src/commands/terminal/api.ts"
import { BadArgument } from "#src/commands/terminal/BadArgument.ts"
import { junitOf } from "./junit.ts"
import { note, print, printable } from "#src/commands/terminal/output.ts"
import { runClient } from "#src/commands/terminal/run.ts"

interface EvalFlags extends ServerFlags {
  readonly suite: string
  readonly offline: boolean
  readonly maxCostUsd: string | undefined
  readonly repeats: string | undefined
  readonly seed: string | undefined
  readonly mode: string
  readonly characterVersion: string | undefined
  readonly baseline: string | undefined
  readonly reporter: string
  readonly json: boolean
}

/** The run did not pass. */
class EvalNotPassed extends Schema.TaggedError<EvalNotPassed>()("EvalNotPassed", { problem: Schema.String }) {
  override get message() {
    return this.problem
  }
}

const Suite = Schema.Struct({ id: Schema.String })
const Gate = Schema.Struct({
  metric: Schema.String,
  op: Schema.String,
  value: Schema.Number,
  actual: Schema.NullOr(Schema.Number),
  status: Schema.String
})
const Run = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  verdict: Schema.NullOr(Schema.String),
  progress: Schema.Struct({ done: Schema.Int, total: Schema.Int }),
  gates: Schema.Array(Gate),
  metrics: Schema.NullOr(
    Schema.Struct({
      counts: Schema.Record(Schema.String, Schema.Int),
      pass_rate: Schema.Struct({
        mean: Schema.NullOr(Schema.Number),
        interval: Schema.NullOr(Schema.Struct({ low: Schema.Number, high: Schema.Number }))
      }),
      latency_p95_ms: Schema.NullOr(Schema.Number),
      cost_usd: Schema.Number
    })
  ),
  finished_at: Schema.NullOr(Schema.String)
})
type Run = typeof Run.Type
const Results = Schema.Struct({
  results: Schema.Array(
    Schema.Struct({
      case_key: Schema.String,
      repeat: Schema.Int,
      status: Schema.String,
      checks: Schema.Array(
        Schema.Struct({
          type: Schema.String,
          turn: Schema.NullOr(Schema.Int),
          status: Schema.String,
          detail: Schema.String
        })
      )
    })
  ),
  next_cursor: Schema.NullOr(Schema.String)
})
type Result = (typeof Results.Type)["results"][number]
const Comparison = Schema.Struct({
  regression: Schema.Boolean,
  fixed: Schema.Int,
  broken: Schema.Int,
  mcnemar_p: Schema.Number,
  pass_rate: Schema.Struct({ difference: Schema.NullOr(Schema.Number) })
})

const LOOK_EVERY = "500 millis"
const runPath = (id: string) => `/v1/evals/runs/${encodeURIComponent(id)}`

const number = (name: string, text: string | undefined) =>
  Effect.suspend(() => {
    const value = text === undefined ? undefined : Number(text)
    return value === undefined || (text?.trim() !== "" && value >= 0 && Number.isFinite(value))
      ? Effect.succeed(value)
      : Effect.fail(new BadArgument({ problem: `${name} must be 0 or more` }))
  })

/** A suite from a file is stored on the server only until its run has begun, which copies the cases. */
const withSuite = Effect.fnUntraced(function* <A, E>(
  api: Api,
  suite: string,
  use: (id: string) => Effect.Effect<A, E>
) {
  if (suite.startsWith("evs_")) return yield* use(suite)
  const text = yield* Effect.tryPromise({
    try: () => readFile(suite, "utf8"),
    catch: () => new BadArgument({ problem: `${printable(suite)} is neither the id of a suite nor a readable file` })
  })
  const body = yield* Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => new BadArgument({ problem: `${printable(suite)} is not JSON` })
  })
  if (typeof body !== "object" || body === null)
    return yield* new BadArgument({ problem: `${printable(suite)} does not contain a suite` })
  const { id } = yield* api.post("/v1/evals/suites", body, Suite)
  return yield* use(id).pipe(Effect.ensuring(Effect.ignore(api.delete(`/v1/evals/suites/${encodeURIComponent(id)}`))))
})

const toEnd = Effect.fnUntraced(function* (api: Api, id: string) {
  let told = -1
  while (true) {
    const run = yield* api
      .get(runPath(id), Run)
      .pipe(Effect.retry({ while: ({ passing }) => passing, times: 20, schedule: Schedule.spaced(LOOK_EVERY) }))
    if (run.finished_at !== null) return run
    if (run.progress.done !== told) note(`${run.progress.done} of ${run.progress.total}`)
    told = run.progress.done
    yield* Effect.sleep(LOOK_EVERY)
  }
})

const allResults = Effect.fnUntraced(function* (api: Api, id: string) {
  const all: Array<Result> = []
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: typeof Results.Type = yield* api.get(
      `${runPath(id)}/results?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`,
      Results
    )
    all.push(...page.results)
    cursor = page.next_cursor
  }
  return all
})

/** Aligns columns by their widest cell. */
const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join("  ")
  )
}

const because = ({ checks }: Result): string => {
  const wrong =
    checks.find(({ status }) => status === "fail" || status === "error") ??
    checks.find(({ status }) => status === "skipped")
  return wrong === undefined
    ? ""
    : printable(`${wrong.type}${wrong.turn === null ? "" : ` (turn ${wrong.turn + 1})`}: ${wrong.detail}`)
}

const show = (run: Run, results: ReadonlyArray<Result>) => {
  for (const line of table([
    ["case", "repeat", "status", "why"],
    ...results.map((result) => [printable(result.case_key), String(result.repeat), result.status, because(result)])
  ]))
    print(line.trimEnd())
  if (run.metrics !== null) {
    const {
      counts,
      pass_rate: { mean, interval },
      latency_p95_ms,
      cost_usd
    } = run.metrics
    print("")
    print(
      `${Object.entries(counts)
        .filter(([, count]) => count > 0)
        .map(([status, count]) => `${count} ${status}`)
        .join(", ")}` +
        `; pass rate ${mean ?? "none"}${interval === null ? "" : ` (95 %: ${interval.low} to ${interval.high})`}` +
        `; p95 ${Math.round(latency_p95_ms ?? 0)} ms; ${cost_usd} USD`
    )
  }
  for (const { metric, op, value, actual, status } of run.gates)
    print(`gate ${status}: ${printable(metric)} ${op} ${value}, actual: ${actual ?? "not measured"}`)
}

/**
 * `troupe eval run SUITE [--offline] [--max-cost-usd N] [--repeats N] [--seed N] [--mode M] [--character-version N]
 * [--baseline evr_...] [--reporter table|junit]`
 */
export const runEval = (flags: EvalFlags) =>
  runClient(
    Effect.gen(function* () {
      const mode = yield* check.oneOf("--mode", flags.mode, ["fast", "deep"])
      const reporter = yield* check.oneOf("--reporter", flags.reporter, ["table", "junit"])
      const order = {
        reply_mode: mode,
        engine: flags.offline ? "offline" : "default",
        max_cost_usd: yield* number("--max-cost-usd", flags.maxCostUsd),
        repeats: yield* number("--repeats", flags.repeats),
        seed: yield* number("--seed", flags.seed),
        character_version: yield* number("--character-version", flags.characterVersion),
        baseline_run_id: flags.baseline
      }
      const api = yield* connect(flags)
      const begun = yield* withSuite(api, flags.suite, (id) =>
        api.post(`/v1/evals/suites/${encodeURIComponent(id)}/runs`, order, Run)
      )
      note(`${begun.id} has started`)
      const run = yield* toEnd(api, begun.id)
      const results = yield* allResults(api, run.id)
      const comparison = flags.baseline === undefined ? null : yield* api.get(`${runPath(run.id)}/compare`, Comparison)
      if (reporter === "junit") print(junitOf(run, results))
      else if (flags.json) print(JSON.stringify({ run, results, comparison }))
      else {
        show(run, results)
        if (comparison !== null)
          print(
            `against ${printable(flags.baseline ?? "")}: ${comparison.fixed} fixed, ${comparison.broken} broken ` +
              `(McNemar p ${comparison.mcnemar_p}), pass rate ${comparison.pass_rate.difference ?? 0}`
          )
      }
      if (run.status !== "completed") return yield* new EvalNotPassed({ problem: `${run.id} ended as ${run.status}` })
      if (run.verdict === "fail") return yield* new EvalNotPassed({ problem: `${run.id} did not pass` })
      if (comparison?.regression === true)
        return yield* new EvalNotPassed({ problem: `${run.id} is significantly worse than ${flags.baseline}` })
    })
  )
