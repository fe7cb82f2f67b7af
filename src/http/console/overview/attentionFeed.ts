import { byUrgency } from "#src/health/byUrgency.ts"
import type { Problem } from "#src/health/Problem.ts"
import { reachOf, reachWords } from "#src/health/reach.ts"
import { type Names, nameOf } from "#src/http/operators/problemNames.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { count, when } from "../figures.ts"
import { tag } from "../icons.ts"
import { stepOf, titleOf, toneOf } from "../problemTexts.ts"

/** More problems of a kind than this are folded into one row. */
const MOST_OF_KIND = 3
const MAX_NAMED = 30

/** Problems of one kind that share a row. */
interface Row {
  readonly first: Problem
  readonly problems: ReadonlyArray<Problem>
  /** How many conversations they reach together. Null: everybody's. */
  readonly reach: number | null
}

/** When and where the problems are shown. */
interface Around {
  readonly nowMs: number
  readonly names: Names
  /** The path of the screen. It does not lead to itself. */
  readonly here: string
}

const rowOf = (problems: ReadonlyArray<Problem>): Row => ({ first: problems[0]!, problems, reach: reachOf(problems) })

/** In the order of all lists of problems: the rows by what their problems reach together. */
const rowsOf = (problems: ReadonlyArray<Problem>): ReadonlyArray<Row> => {
  const byKind = Map.groupBy(problems, ({ kind }) => kind)
  const rows = [...byKind.values()].flatMap((same) =>
    same.length > MOST_OF_KIND ? [rowOf(same)] : same.map((problem) => rowOf([problem]))
  )
  return rows.toSorted((a, b) => byUrgency({ ...a.first, reach: a.reach }, { ...b.first, reach: b.reach }))
}

const SEVERITY_WORDS = { critical: "Critical", warning: "Warning", info: "For information" } as const

/** The app of something that is not itself an app. */
const appOf = ({ subject }: Problem, { apps }: Names): Html | null => {
  const { app_id: appId, bot_id, channel_id } = subject
  const name = apps.get(appId ?? "")
  return appId === undefined || name === undefined || (bot_id ?? channel_id) === undefined
    ? null
    : html`<span class="soft small">of <a href="/console/apps/${appId}"><bdi>${name}</bdi></a></span>`
}

/** What an operator has written about a suspension or a hold. */
const reasonOf = ({ kind, evidence: { reason } }: Problem): Html | null =>
  (kind === "app_suspended" || kind === "bots_on_hold") && typeof reason === "string"
    ? html`<p class="soft">Reason: <bdi>${reason}</bdi></p>`
    : null

const earliest = (problems: ReadonlyArray<Problem>): string | null =>
  problems.reduce<string | null>(
    (least, { since }) => (since === null || (least !== null && least < since) ? least : since),
    null
  )

/** Whether a step is done on this screen, or in a part of it. */
const isHere = (url: string, here: string) => url.split("#")[0] === here

const named = (problem: Problem, { names, here }: Around): Html => {
  const { url } = stepOf(problem)
  const name = html`<bdi>${nameOf(problem, names)}</bdi>`
  return html`<li>${isHere(url, here) ? name : html`<a href="${url}">${name}</a>`}</li>`
}

const shown = ({ first, problems, reach }: Row, around: Around): Html => {
  const { nowMs, names, here } = around
  const step = stepOf(first)
  const since = earliest(problems)
  const reached = reachWords(reach)
  const times = problems.reduce((sum, problem) => sum + problem.count, 0)
  return html`<li>
    <div class="stack tight">
      <p class="row">
        ${tag(toneOf(first.severity), SEVERITY_WORDS[first.severity])}
        <span class="what">${titleOf(first.kind, problems.length)}</span>
        ${times > problems.length ? html`<span class="soft">×${count(times)}</span>` : null}
        ${problems.length > 1 ? null : html`<bdi class="id">${nameOf(first, names)}</bdi> ${appOf(first, names)}`}
        ${reached === null ? null : html`<span class="soft small">${reached}</span>`}
        ${since === null ? null : html`<span class="soft small">began ${when(since, nowMs)}</span>`}
      </p>
      <p class="soft">${first.cause}. ${first.next_step.description}.</p>
      ${problems.length > 1 ? null : reasonOf(first)}
      ${first.next_step.command === null ? null : html`<pre><code>${first.next_step.command}</code></pre>`}
      ${
        problems.length === 1
          ? null
          : html`<details id="feed-${first.kind}">
              <summary>Which ones</summary>
              <ul>
                ${problems.slice(0, MAX_NAMED).map((problem) => named(problem, around))}
              </ul>
              ${problems.length > MAX_NAMED ? html`<p>and ${count(problems.length - MAX_NAMED)} more</p>` : null}
            </details>`
      }
    </div>
    ${
      problems.length > 1 || isHere(step.url, here)
        ? null
        : html`<div class="actions"><a class="button" href="${step.url}">${step.label}</a></div>`
    }
  </li>`
}

/** Everything that needs attention, worst first, each with its next step. Null: nothing does. */
export const attentionFeed = (problems: ReadonlyArray<Problem>, around: Around): Html | null =>
  problems.length === 0
    ? null
    : html`<section class="card flush" aria-labelledby="attention">
        <h2 id="attention">Needs attention</h2>
        <ul class="feed">
          ${rowsOf(problems).map((row) => shown(row, around))}
        </ul>
      </section>`
