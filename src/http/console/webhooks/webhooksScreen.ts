import * as Effect from "effect/Effect"
import { CHANNEL_SORTS, CHANNEL_STATES, type ChannelRow, OperatorChannels } from "#src/db/operators/OperatorChannels.ts"
import { positionOf, sortedPage } from "#src/http/operators/position.ts"
import { html } from "#src/http/server/page.ts"
import { appInput, withApp } from "../appFilter.ts"
import type { Console } from "../console.ts"
import { DELIVERIES_PATH } from "../deliveries/attemptQuery.ts"
import { percent, when } from "../figures.ts"
import { filters, select } from "../form.ts"
import { pages } from "../pages.ts"
import { type Column, table } from "../table.ts"
import { totalAbove } from "../total.ts"
import { choice, urlWith, words } from "../url.ts"
import { failedLately, webhookState } from "./webhookStates.ts"

export const WEBHOOKS_PATH = "/console/webhooks"
const PER_PAGE = 50

const columns = (nowMs: number): ReadonlyArray<Column<ChannelRow>> => [
  {
    label: "Webhook",
    cell: ({ channel_id, url }) => html`<a href="${WEBHOOKS_PATH}/${channel_id}"><bdi>${url}</bdi></a>`
  },
  { label: "State", cell: webhookState },
  { label: "App", cell: ({ app_id, app_name }) => html`<a href="/console/apps/${app_id}"><bdi>${app_name}</bdi></a>` },
  { label: "Receives", cell: ({ session_id }) => (session_id === null ? "the whole app" : "one conversation") },
  {
    label: "Failed, 24 h",
    num: true,
    sort: { name: "failure_rate", direction: "descending" },
    cell: (row) =>
      row.attempts_24h === 0
        ? failedLately(row)
        : html`${failedLately(row)} <span class="soft">${percent(row.failures_24h, row.attempts_24h)}</span>`
  },
  { label: "Failing since", cell: ({ failing_since }) => when(failing_since, nowMs, "–") },
  { label: "Last success", cell: ({ last_success_at }) => when(last_success_at, nowMs) },
  {
    label: "Created",
    sort: { name: "newest", direction: "descending" },
    cell: ({ created_at }) => when(created_at, nowMs)
  }
]

/** The webhooks of all apps, those first that fail most often. */
export const webhooksScreen = ({ screen }: Console): void =>
  screen(
    { path: WEBHOOKS_PATH, operationId: "showWebhooks", summary: "The screen of the webhooks of all apps" },
    (visit) =>
      Effect.gen(function* () {
        const { nowMs, path } = visit
        const { query, note } = yield* withApp(visit)
        const sort = choice(query, "sort", CHANNEL_SORTS) ?? "failure_rate"
        const state = choice(query, "state", CHANNEL_STATES)
        const after = yield* positionOf(query.get("cursor") ?? undefined)
        const filter = { appId: words(query, "app"), states: state === null ? [] : [state] }
        const rows = yield* OperatorChannels.use((all) => all.list(filter, sort, { after, limit: PER_PAGE + 1 }))
        const { items, next_cursor } = sortedPage(rows, PER_PAGE, ({ channel_id }) => channel_id)
        return {
          section: DELIVERIES_PATH,
          above: { url: DELIVERIES_PATH, name: "Deliveries" },
          title: "Webhooks",
          lead: html`${filters(
            WEBHOOKS_PATH,
            [
              select({
                name: "state",
                label: "State",
                value: query.get("state") ?? "",
                options: [{ value: "", label: "any" }, ...CHANNEL_STATES.map((value) => ({ value, label: value }))]
              }),
              appInput(visit.query)
            ],
            { sort: query.get("sort") }
          )}${note}${yield* totalAbove(
            visit,
            OperatorChannels.use((all) => all.count(filter)),
            ["webhook", "webhooks"]
          )}`,
          live: html`<section class="card flush">
          ${table({
            label: "Webhooks",
            columns: columns(nowMs),
            rows: items,
            sorting: { order: sort, url: (order) => urlWith(path, visit.query, { sort: order }) },
            empty: html`<p>No webhook matches.</p>`
          })}
          ${pages(visit, next_cursor)}
        </section>`
        }
      })
  )
