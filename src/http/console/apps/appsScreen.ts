import * as Effect from "effect/Effect"
import { APP_SORTS, type AppRow, OperatorApps } from "#src/db/operators/OperatorApps.ts"
import { positionOf, sortedPage } from "#src/http/operators/position.ts"
import { html } from "#src/http/server/page.ts"
import type { Console } from "../console.ts"
import { count, percent, usd, when } from "../figures.ts"
import { filters, input, select } from "../form.ts"
import { tag } from "../icons.ts"
import { pages } from "../pages.ts"
import { type Column, table } from "../table.ts"
import { totalAbove } from "../total.ts"
import { choice, urlWith, words } from "../url.ts"

export const APPS_PATH = "/console/apps"
const PER_PAGE = 50
const STATES = ["active", "suspended"] as const

export const appState = ({ suspended_at, suspended_reason }: AppRow) =>
  suspended_at === null
    ? tag("good", "active")
    : html`${tag("bad", "suspended")} <span class="soft small"><bdi>${suspended_reason ?? ""}</bdi></span>`

const columns = (nowMs: number): ReadonlyArray<Column<AppRow>> => [
  {
    label: "App",
    cell: ({ name, app_id }) =>
      html`<a href="${APPS_PATH}/${app_id}"><bdi>${name}</bdi></a><br /><span class="id">${app_id}</span>`
  },
  { label: "State", cell: appState },
  {
    label: "Account",
    cell: ({ account_id, account_name }) =>
      html`<a href="${APPS_PATH}?account=${account_id}"><bdi>${account_name ?? account_id}</bdi></a>`
  },
  {
    label: "Spent today",
    num: true,
    cell: ({ spent_day_micro_usd }) => usd(spent_day_micro_usd)
  },
  {
    label: "This month",
    num: true,
    sort: { name: "spend", direction: "descending" },
    cell: ({ spent_month_micro_usd }) => usd(spent_month_micro_usd)
  },
  { label: "Turns, 24 h", num: true, cell: ({ turns_24h }) => count(turns_24h) },
  {
    label: "Failed",
    num: true,
    sort: { name: "errors", direction: "descending" },
    cell: ({ failed_24h, turns_24h }) =>
      html`${count(failed_24h)} <span class="soft">${percent(failed_24h, turns_24h)}</span>`
  },
  {
    label: "Last used",
    sort: { name: "last_use", direction: "descending" },
    cell: ({ last_used_at }) => when(last_used_at, nowMs)
  },
  {
    label: "Created",
    sort: { name: "newest", direction: "descending" },
    cell: ({ created_at }) => when(created_at, nowMs)
  }
]

/** The apps of every account. */
export const appsScreen = ({ screen }: Console): void =>
  screen({ path: APPS_PATH, operationId: "showApps", summary: "The screen of apps" }, (visit) =>
    Effect.gen(function* () {
      const { nowMs, path, query } = visit
      const sort = choice(query, "sort", APP_SORTS) ?? "spend"
      const after = yield* positionOf(query.get("cursor") ?? undefined)
      const account = words(query, "account")
      const isAccountId = account?.startsWith("acc_") === true
      const filter = {
        state: choice(query, "state", STATES),
        accountId: isAccountId ? account : null,
        account: isAccountId ? null : account,
        name: words(query, "name")
      }
      const rows = yield* OperatorApps.use((apps) => apps.list(filter, sort, { after, limit: PER_PAGE + 1 }))
      const { items, next_cursor } = sortedPage(rows, PER_PAGE, ({ app_id }) => app_id)
      return {
        section: APPS_PATH,
        title: "Apps",
        lead: html`${filters(
          APPS_PATH,
          [
            input({ name: "name", label: "Name", value: query.get("name") ?? "" }),
            input({
              name: "account",
              label: "Account",
              value: query.get("account") ?? "",
              hint: "Its id, or part of its name or email"
            }),
            select({
              name: "state",
              label: "State",
              value: query.get("state") ?? "",
              options: [{ value: "", label: "any" }, ...STATES.map((value) => ({ value, label: value }))]
            })
          ],
          { sort: query.get("sort") }
        )}${yield* totalAbove(
          visit,
          OperatorApps.use((apps) => apps.count(filter)),
          ["app", "apps"]
        )}`,
        live: html`<section class="card flush">
          ${table({
            label: "Apps",
            columns: columns(nowMs),
            rows: items,
            sorting: { order: sort, url: (order) => urlWith(path, query, { sort: order }) },
            empty: html`<p>No app matches.</p>`
          })}
          ${pages(visit, next_cursor)}
        </section>`
      }
    })
  )
