import * as Effect from "effect/Effect"
import { isId } from "#pipeline/domain/Id.ts"
import { type AccountRow, OperatorAccounts } from "#src/db/operators/OperatorAccounts.ts"
import { page, placeCursorKey } from "#src/http/server/listing.ts"
import { type Html, html } from "#src/http/server/page.ts"
import type { Console } from "../console.ts"
import { count, usd, when } from "../figures.ts"
import { filters, input } from "../form.ts"
import { pages } from "../pages.ts"
import { table } from "../table.ts"
import { totalAbove } from "../total.ts"
import { words } from "../url.ts"

export const ACCOUNTS_PATH = "/console/accounts"
const PER_PAGE = 50

/** What an account is called: by its person, or else by its id. */
export const accountName = ({ name, email, account_id }: AccountRow): string => name ?? email ?? account_id

const columns = (nowMs: number) => [
  {
    label: "Account",
    cell: (account: AccountRow): Html =>
      html`<a href="${ACCOUNTS_PATH}/${account.account_id}"><bdi>${accountName(account)}</bdi></a><br />
        <span class="soft small"><bdi>${account.email ?? account.kind}</bdi></span>`
  },
  {
    label: "Apps",
    num: true,
    cell: ({ apps, suspended_apps }: AccountRow) =>
      suspended_apps === 0 ? count(apps) : html`${count(apps)} <span class="soft">${suspended_apps} suspended</span>`
  },
  { label: "Tokens", num: true, cell: ({ tokens }: AccountRow) => count(tokens) },
  {
    label: "This month",
    num: true,
    cell: ({ spent_month_micro_usd }: AccountRow) => usd(spent_month_micro_usd)
  },
  { label: "Created", ordered: "descending" as const, cell: ({ created_at }: AccountRow) => when(created_at, nowMs) }
]

/** The owners of apps. */
export const accountsScreen = ({ screen }: Console): void =>
  screen({ path: ACCOUNTS_PATH, operationId: "showAccounts", summary: "The screen of accounts" }, (visit) =>
    Effect.gen(function* () {
      const { nowMs, query } = visit
      const before = yield* placeCursorKey(query.get("cursor") ?? undefined, (key) => isId("acc", key))
      const rows = yield* OperatorAccounts.use((accounts) =>
        accounts.list({ search: words(query, "search"), before, limit: PER_PAGE + 1 })
      )
      const { items, next_cursor } = page(rows, PER_PAGE, ({ account_id }) => account_id)
      return {
        section: ACCOUNTS_PATH,
        title: "Accounts",
        lead: html`${filters(ACCOUNTS_PATH, [
          input({ name: "search", label: "Name or email", value: query.get("search") ?? "" })
        ])}${yield* totalAbove(
          visit,
          OperatorAccounts.use((accounts) => accounts.count(words(query, "search"))),
          ["account", "accounts"]
        )}`,
        live: html`<section class="card flush">
          ${table<AccountRow>({
            label: "Accounts",
            columns: columns(nowMs),
            rows: items,
            empty: html`<p>No account matches.</p>`
          })}
          ${pages(visit, next_cursor)}
        </section>`
      }
    })
  )
