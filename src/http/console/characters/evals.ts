import type { EvalOutcome } from "#src/db/operators/FleetCharacters.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { lineChart } from "../chart.ts"
import { percent, usd, when } from "../figures.ts"
import { tag } from "../icons.ts"
import { table } from "../table.ts"

/** Lines of a chart that can be told apart. */
const MAX_SUITES = 3

const suiteOf = ({ suite_name }: EvalOutcome): string => suite_name ?? "deleted suite"
const rate = (value: number | null): string => (value === null ? "–" : percent(value, 1))

/** Pass rates over time, a line for each of the suites that ran last. Null: none has a result. */
const chart = (runs: ReadonlyArray<EvalOutcome>): Html | null => {
  const judged = runs.filter(({ pass_rate }) => pass_rate !== null).toReversed()
  const latest = judged.at(-1)
  if (latest === undefined) return null
  const suites = [...new Set(judged.toReversed().map(suiteOf))].slice(0, MAX_SUITES)
  return lineChart({
    id: "pass-rates",
    title: "Pass rate of each run",
    summary: `${rate(latest.pass_rate)} in the last run`,
    at: judged.map(({ created_at }) => created_at),
    series: suites.map((name) => ({
      name,
      values: judged.map((run) => (suiteOf(run) === name ? run.pass_rate : null))
    })),
    format: (value) => percent(value, 1),
    least: 1,
    by: "day",
    marks: "points"
  })
}

const verdict = ({ status, verdict }: EvalOutcome): Html =>
  verdict === "pass"
    ? tag("good", "passed")
    : verdict === "fail"
      ? tag("bad", "failed")
      : tag(status === "queued" || status === "running" ? "info" : "none", status.replaceAll("_", " "))

const noChart = html`<section class="card">
  <h2>Pass rate of each run</h2>
  <p class="soft">No eval has a result yet.</p>
</section>`

/** How the evals of a character went. */
export const evals = (runs: ReadonlyArray<EvalOutcome>, nowMs: number): Html =>
  html`<div class="split">
    ${chart(runs) ?? noChart}
    <section class="card flush" aria-labelledby="evals">
      <h2 id="evals">Evals</h2>
      ${table<EvalOutcome>({
        label: "Evals",
        columns: [
          { label: "Suite", cell: (run) => html`<bdi>${suiteOf(run)}</bdi>` },
          { label: "Outcome", cell: verdict },
          { label: "Pass rate", num: true, cell: ({ pass_rate }) => rate(pass_rate) },
          { label: "Version", num: true, cell: ({ character_version }) => String(character_version) },
          { label: "Engine", cell: ({ engine }) => html`<bdi>${engine}</bdi>` },
          { label: "Cost", num: true, cell: ({ spent_micro_usd }) => usd(spent_micro_usd) },
          { label: "Started", cell: ({ created_at }) => when(created_at, nowMs) }
        ],
        rows: runs,
        empty: html`<p>No suite has run with this character.</p>`
      })}
    </section>
  </div>`
