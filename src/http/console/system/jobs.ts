import type { JobQueue, StuckJob } from "#src/db/operators/Jobs.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { count, when } from "../figures.ts"
import { post } from "../form.ts"
import { tag } from "../icons.ts"
import type { Visit } from "../Screen.ts"
import { table } from "../table.ts"

export const queues = (rows: ReadonlyArray<JobQueue>, nowMs: number): Html =>
  html`<section class="card flush" aria-labelledby="queues">
    <h2 id="queues">Queues of background jobs</h2>
    ${table<JobQueue>({
      label: "Queues",
      columns: [
        { label: "Job", cell: ({ task }) => task },
        { label: "Due", num: true, cell: ({ due }) => count(due) },
        { label: "Oldest", cell: ({ oldest_due_at }) => when(oldest_due_at, nowMs, "–") },
        { label: "Later", num: true, cell: ({ scheduled }) => count(scheduled) },
        { label: "Running", num: true, cell: ({ locked }) => count(locked) },
        {
          label: "Failed",
          num: true,
          cell: ({ failed }) => (failed === 0 ? "0" : tag("bad", `${count(failed)} failed`))
        }
      ],
      rows,
      empty: html`<p>No job waits.</p>`
    })}
  </section>`

export const failedJobs = (rows: ReadonlyArray<StuckJob>, { nowMs, csrf, acts }: Visit): Html | null =>
  rows.length === 0
    ? null
    : html`<section class="card flush" aria-labelledby="stuck">
        <h2 id="stuck">Jobs that failed or are running</h2>
        ${table<StuckJob>({
          label: "Jobs that failed or are running",
          columns: [
            { label: "Job", cell: ({ task, job_id }) => html`${task} <span class="id">${job_id}</span>` },
            {
              label: "State",
              cell: ({ state, locked_at }) =>
                state === "failed" ? tag("bad", "failed") : html`${tag("info", "running")} ${when(locked_at, nowMs)}`
            },
            { label: "Attempts", num: true, cell: ({ attempts, max_attempts }) => `${attempts} of ${max_attempts}` },
            { label: "Created", cell: ({ created_at }) => when(created_at, nowMs) },
            { label: "Error", cell: ({ last_error }) => html`<bdi>${last_error ?? "–"}</bdi>` },
            {
              label: "Do",
              cell: ({ job_id, state }) =>
                !acts || state !== "failed"
                  ? ""
                  : html`<div class="row">
                      ${post({ action: `/console/system/jobs/${job_id}/retry`, csrf, label: "Retry", tone: "slight" })}
                      <a class="button slight" href="/console/system/jobs/${job_id}/remove">Remove…</a>
                    </div>`
            }
          ],
          rows,
          empty: html``
        })}
      </section>`
