import { scaleLinear } from "d3-scale"
import type { TraceRow } from "#src/db/conversation/Traces.ts"
import type { FoundSession } from "#src/db/operators/SessionSearch.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { count, duration, usd, when } from "../figures.ts"
import { tag, type Tone } from "../icons.ts"
import { table } from "../table.ts"
import { crisisIn, crisisName } from "./crisisName.ts"
import { openTurn } from "./sessionState.ts"

type Stage = TraceRow["stages"][number]

const WIDTH = 600
/** Where the bars begin, right of the names. */
const LEFT = 140
const BAR = 14
const GAP = 6

const OUTCOMES: Readonly<Record<NonNullable<TraceRow["outcome"]>, readonly [Tone, string]>> = {
  replied: ["good", "replied"],
  withheld: ["info", "stayed silent"],
  exited: ["info", "left"],
  failed: ["bad", "failed"]
}
const stageTone: Readonly<Record<string, Tone>> = { ok: "good", fallback: "warn", skipped: "none", error: "bad" }

/** The stages one after the other, each with where it begins. */
const laidOut = (stages: ReadonlyArray<Stage>) => {
  let start = 0
  return stages.map((stage) => {
    const begun = start
    start += stage.latency_ms
    return { stage, start: begun }
  })
}

const picture = (stages: ReadonlyArray<Stage>): Html => {
  const bars = laidOut(stages)
  const total = bars.reduce((sum, { stage }) => sum + stage.latency_ms, 0)
  const x = scaleLinear([0, Math.max(1, total)], [0, WIDTH - LEFT])
  return html`<svg
    viewBox="0 0 ${WIDTH} ${bars.length * (BAR + GAP)}"
    role="img"
    aria-label="Stages one after the other, ${duration(total)} in total"
  >
    ${bars.map(
      ({ stage, start }, row) =>
        html`<text x="0" y="${row * (BAR + GAP) + BAR - 2}">${stage.stage.replaceAll("_", " ")}</text
          ><rect class="track" x="${LEFT}" y="${row * (BAR + GAP)}" width="${WIDTH - LEFT}" height="${BAR}" /><rect
            class="${stage.status === "error" ? "bad" : ""}"
            x="${(LEFT + x(start)).toFixed(1)}"
            y="${row * (BAR + GAP)}"
            width="${Math.max(2, x(stage.latency_ms)).toFixed(1)}"
            height="${BAR}"
          />`
    )}
  </svg>`
}

const sources = (stages: ReadonlyArray<Stage>): Html | null => {
  const detail = stages.findLast(({ stage }) => stage === "retrieval")?.detail
  const lists = [
    ["Memories", detail?.memories?.map(({ id, score }) => `${id} (${score.toFixed(2)})`)],
    ["Lore", detail?.lore_ids],
    ["Evidence", detail?.evidence_ids],
    ["People", detail?.npc_ids],
    ["Facts", detail?.edge_ids],
    ["Influences", detail?.arc_ids]
  ] as const
  const found = lists.filter(([, ids]) => ids !== undefined && ids.length > 0)
  return found.length === 0
    ? html`<p class="soft small">It used only the latest messages.</p>`
    : html`<dl class="facts small">
        ${found.map(([name, ids]) => html`<dt>${name}</dt><dd class="id">${(ids ?? []).join(", ")}</dd>`)}
      </dl>`
}

const tokens = (of: (stage: Stage) => number | null, stages: ReadonlyArray<Stage>) =>
  stages.reduce((sum, stage) => sum + (of(stage) ?? 0), 0)

const stageTable = (stages: ReadonlyArray<Stage>): Html =>
  table<Stage>({
    label: "Stages",
    columns: [
      { label: "Stage", cell: ({ stage }) => stage.replaceAll("_", " ") },
      { label: "State", cell: ({ status }) => tag(stageTone[status] ?? "none", status) },
      {
        label: "Decision",
        cell: ({ decision, error_code }) => html`<bdi>${error_code ?? decision ?? "–"}</bdi>`
      },
      { label: "Attempt", num: true, cell: ({ run_attempt, attempt }) => `${run_attempt}.${attempt}` },
      { label: "Took", num: true, cell: ({ latency_ms }) => duration(latency_ms) },
      {
        label: "Tokens in",
        num: true,
        cell: ({ input_tokens }) => (input_tokens === null ? "–" : count(input_tokens))
      },
      {
        label: "Tokens out",
        num: true,
        cell: ({ output_tokens }) => (output_tokens === null ? "–" : count(output_tokens))
      },
      { label: "Cost", num: true, cell: ({ cost_micro_usd }) => (cost_micro_usd === null ? "–" : usd(cost_micro_usd)) }
    ],
    rows: stages,
    empty: html`<p>No stage has run yet.</p>`
  })

/** How a turn went: its stages as a waterfall, what they cost, and what the reply drew on. */
export const waterfall = (turn: TraceRow, { hold }: FoundSession, nowMs: number): Html => {
  const { stages, outcome } = turn
  const crisis = crisisIn(stages)
  return html`<article class="card waterfall" id="turn-${turn.turn_index}">
    <div class="head">
      <h3>Turn ${turn.turn_index}</h3>
      <div class="row">
        ${crisis === null ? null : tag("bad", crisisName(crisis))}
        ${outcome === null ? openTurn(turn.owned, hold) : tag(...OUTCOMES[outcome])}
      </div>
    </div>
    ${turn.failure_reason === null ? null : html`<p class="soft">${turn.failure_reason.replaceAll("_", " ")}</p>`}
    <dl class="figures">
      <div><dt>Accepted</dt><dd>${when(turn.accepted_at, nowMs)}</dd></div>
      <div>
        <dt>To the end</dt>
        <dd>${turn.settled_at === null ? "–" : duration(turn.settled_at.getTime() - turn.accepted_at.getTime())}</dd>
      </div>
      <div><dt>Attempts</dt><dd>${turn.attempts}</dd></div>
      <div>
        <dt>Tokens in / out</dt>
        <dd>${count(tokens(({ input_tokens }) => input_tokens, stages))} /
          ${count(tokens(({ output_tokens }) => output_tokens, stages))}</dd>
      </div>
      <div><dt>Cost</dt><dd>${turn.cost_micro_usd === null ? "–" : usd(turn.cost_micro_usd)}</dd></div>
      <div><dt>Delivered</dt><dd>${turn.delivered} of ${turn.attempted}</dd></div>
    </dl>
    ${picture(stages)} ${sources(stages)}
    <details id="stages-${turn.turn_index}">
      <summary>Stages as a table</summary>
      ${stageTable(stages)}
    </details>
  </article>`
}
