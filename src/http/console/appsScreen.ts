import * as Effect from "effect/Effect"
import { type App, Apps } from "#src/db/tenancy/Apps.ts"
import { cursorKey, page } from "#src/http/server/listing.ts"
import { html } from "#src/http/server/page.ts"
import type { Console } from "./console.ts"
import { when } from "./figures.ts"
import { tag } from "./icons.ts"
import { pages } from "./pages.ts"
import { table } from "./table.ts"

const PER_PAGE = 50

/** The apps of every account. */
export const appsScreen = ({ screen }: Console): void =>
  screen({ path: "/console/apps", operationId: "showApps", summary: "The screen of apps" }, (visit) =>
    Effect.gen(function* () {
      const after = yield* cursorKey(visit.query.get("cursor") ?? undefined)
      const rows = yield* Apps.use((apps) => apps.list({ accountId: null, after, limit: PER_PAGE + 1 }))
      const { items, next_cursor } = page(rows, PER_PAGE, ({ app_id }) => app_id)
      return {
        section: "/console/apps",
        title: "Apps",
        live: html`<section class="card flush">
          ${table<App>({
            label: "Apps",
            columns: [
              {
                label: "App",
                cell: ({ name, app_id }) =>
                  html`<strong><bdi>${name}</bdi></strong><br /><span class="id">${app_id}</span>`
              },
              {
                label: "State",
                cell: ({ suspended_at }) => (suspended_at === null ? tag("good", "active") : tag("bad", "suspended"))
              },
              { label: "Environment", cell: ({ environment }) => environment },
              { label: "Account", cell: ({ account_id }) => html`<span class="id">${account_id}</span>` },
              { label: "Created", cell: ({ created_at }) => when(created_at, visit.nowMs) }
            ],
            rows: items,
            empty: html`<p>There are no apps yet.</p>`
          })}
          ${pages(visit, next_cursor)}
        </section>`
      }
    })
  )
