import type { FailedImport } from "#src/db/character/FailedImports.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { when } from "../figures.ts"
import { table } from "../table.ts"

const columns = (nowMs: number) => [
  {
    label: "App",
    cell: ({ app_id, app_name }: FailedImport) => html`<a href="/console/apps/${app_id}"><bdi>${app_name}</bdi></a>`
  },
  { label: "Failed", cell: ({ failed_at }: FailedImport) => when(failed_at, nowMs) },
  { label: "Size", num: true, cell: ({ bytes }: FailedImport) => `${Math.ceil(bytes / 1024)} KiB` },
  {
    label: "Why",
    cell: ({ error_code, problem }: FailedImport) =>
      html`<bdi>${problem}</bdi><br /><span class="id">${error_code}</span>`
  }
]

/** Files that did not become characters, and why. Their apps were told the same. */
export const failedImports = (rows: ReadonlyArray<FailedImport>, nowMs: number): Html | null =>
  rows.length === 0
    ? null
    : html`<section class="card flush" aria-labelledby="failed-imports">
        <h2 id="failed-imports">Imports that failed</h2>
        ${table<FailedImport>({ label: "Imports that failed", columns: columns(nowMs), rows, empty: html`` })}
      </section>`
