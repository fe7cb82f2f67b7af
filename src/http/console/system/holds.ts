import type { TelegramSuspension } from "#src/db/telegram/TelegramSuspensions.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { when } from "../figures.ts"
import { post } from "../form.ts"
import type { Visit } from "../Screen.ts"
import { table } from "../table.ts"

export const holds = (rows: ReadonlyArray<TelegramSuspension>, { nowMs, csrf, acts }: Visit): Html =>
  html`<section class="card flush" aria-labelledby="holds">
    <div class="head">
      <h2 id="holds">Holds on Telegram bots</h2>
      ${acts ? html`<a class="button slight danger" href="/console/system/hold">Stop all bots…</a>` : null}
    </div>
    ${table<TelegramSuspension>({
      label: "Holds on Telegram bots",
      columns: [
        {
          label: "Of",
          cell: ({ kind, app_id }) =>
            kind === "delivery"
              ? "all deliveries"
              : app_id === null
                ? "all apps"
                : html`<a class="id" href="/console/apps/${app_id}">${app_id}</a>`
        },
        { label: "Since", cell: ({ since }) => when(since, nowMs) },
        { label: "Reason", cell: ({ reason }) => html`<bdi>${reason ?? "–"}</bdi>` },
        {
          label: "Do",
          cell: ({ kind, app_id }) =>
            kind === "delivery"
              ? html`<code>troupe resume-deliveries</code>`
              : acts
                ? post({
                    action: "/console/system/release",
                    csrf,
                    label: "Release",
                    tone: "slight",
                    fields: { app: app_id ?? "" }
                  })
                : ""
        }
      ],
      rows,
      empty: html`<p>No bot is on hold.</p>`
    })}
  </section>`
