import type { ProcessRow } from "#src/db/operators/Processes.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { count, when } from "../figures.ts"
import { tag } from "../icons.ts"
import { table } from "../table.ts"

/** Processes send a heartbeat every few seconds. */
const SILENT_MS = 30_000

export const processes = (rows: ReadonlyArray<ProcessRow>, nowMs: number): Html =>
  html`<section class="card flush" aria-labelledby="processes">
    <h2 id="processes">Processes</h2>
    ${table<ProcessRow>({
      label: "Processes",
      columns: [
        {
          label: "Process",
          cell: ({ host, pid, process_id }) =>
            html`<bdi>${host}</bdi> ${pid}<br /><span class="id">${process_id}</span>`
        },
        {
          label: "State",
          cell: ({ heartbeat_at }) =>
            nowMs - heartbeat_at.getTime() > SILENT_MS ? tag("bad", "silent") : tag("good", "running")
        },
        { label: "Roles", cell: ({ roles }) => roles.join(", ") },
        { label: "Version", cell: ({ version }) => version },
        { label: "Started", cell: ({ started_at }) => when(started_at, nowMs) },
        { label: "Heartbeat", cell: ({ heartbeat_at }) => when(heartbeat_at, nowMs) },
        { label: "Turns", num: true, cell: ({ turns }) => count(turns) },
        { label: "Lanes", num: true, cell: ({ lanes }) => count(lanes) },
        { label: "Updates", num: true, cell: ({ updates }) => count(updates) },
        { label: "Jobs", num: true, cell: ({ jobs }) => count(jobs) }
      ],
      rows,
      empty: html`<p>No process has reported yet. Processes report every few seconds.</p>`
    })}
  </section>`
