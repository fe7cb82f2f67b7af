import * as Effect from "effect/Effect"
import { isId } from "#pipeline/domain/Id.ts"
import { type AccountRow, OperatorAccounts } from "#src/db/operators/OperatorAccounts.ts"
import { type AppRow, NO_APP_FILTER, OperatorApps } from "#src/db/operators/OperatorApps.ts"
import { type AccountToken, AccountTokens } from "#src/db/tenancy/AccountTokens.ts"
import { accountNotFound } from "#src/http/operators/operatorErrors.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { tokenNotFound } from "#src/http/tenancy/tenancyErrors.ts"
import { appState, APPS_PATH } from "../apps/appsScreen.ts"
import { type Console, done } from "../console.ts"
import { count, usd, when } from "../figures.ts"
import { post } from "../form.ts"
import type { Visit } from "../Screen.ts"
import { table } from "../table.ts"
import { accountName, ACCOUNTS_PATH } from "./accountsScreen.ts"

const MAX_APPS = 50

const findAccount = Effect.fnUntraced(function* ({ params }: Visit) {
  const id = params["account_id"] ?? ""
  const found = isId("acc", id) ? yield* OperatorAccounts.use((accounts) => accounts.get(id)) : undefined
  return found ?? (yield* accountNotFound)
})

const appsTable = (account: AccountRow, apps: ReadonlyArray<AppRow>, nowMs: number): Html =>
  html`<section class="card flush" aria-labelledby="apps">
    <h2 id="apps">Apps, the highest spending first</h2>
    ${table<AppRow>({
      label: "Apps",
      columns: [
        { label: "App", cell: ({ app_id, name }) => html`<a href="${APPS_PATH}/${app_id}"><bdi>${name}</bdi></a>` },
        { label: "State", cell: appState },
        { label: "Today", num: true, cell: ({ spent_day_micro_usd }) => usd(spent_day_micro_usd) },
        { label: "This month", num: true, cell: ({ spent_month_micro_usd }) => usd(spent_month_micro_usd) },
        { label: "Turns, 24 h", num: true, cell: ({ turns_24h }) => count(turns_24h) },
        { label: "Last used", cell: ({ last_used_at }) => when(last_used_at, nowMs) }
      ],
      rows: apps,
      empty: html`<p>This account has no app.</p>`
    })}
    ${
      account.apps > apps.length
        ? html`<p class="pages"><a href="${APPS_PATH}?account=${account.account_id}">All ${count(account.apps)}</a></p>`
        : null
    }
  </section>`

const tokensTable = (tokens: ReadonlyArray<AccountToken>, { acts, csrf, nowMs, path }: Visit): Html =>
  html`<section class="card flush" aria-labelledby="tokens">
    <h2 id="tokens">Account tokens</h2>
    ${table<AccountToken>({
      label: "Account tokens",
      columns: [
        {
          label: "Token",
          cell: ({ prefix, client_name }) => html`<span class="id">${prefix}…</span> <bdi>${client_name}</bdi>`
        },
        { label: "May", cell: ({ scopes }) => html`<span class="small">${scopes.join(", ")}</span>` },
        { label: "Last used", cell: ({ last_used_at }) => when(last_used_at, nowMs) },
        { label: "Expires", cell: ({ expires_at }) => when(expires_at, nowMs) },
        ...(acts
          ? [
              {
                label: "Action",
                cell: ({ prefix }: AccountToken) =>
                  post({ action: `${path}/tokens/${prefix}/revoke`, csrf, label: `Revoke ${prefix}…`, tone: "danger" })
              }
            ]
          : [])
      ],
      rows: tokens,
      empty: html`<p>No tool is connected to this account.</p>`
    })}
  </section>`

/** One account: its apps, and the tools that act for it. */
export const accountScreen = ({ screen, action }: Console): void => {
  const path = `${ACCOUNTS_PATH}/:account_id`

  screen({ path, operationId: "showAccount", summary: "The screen of an account" }, (visit) =>
    Effect.gen(function* () {
      const account = yield* findAccount(visit)
      const { account_id: accountId } = account
      const [apps, tokens] = yield* Effect.all([
        OperatorApps.use((all) => all.list({ ...NO_APP_FILTER, accountId }, "spend", { after: null, limit: MAX_APPS })),
        AccountTokens.use((all) => all.list(accountId))
      ])
      return {
        section: ACCOUNTS_PATH,
        above: { url: ACCOUNTS_PATH, name: "Accounts" },
        title: accountName(account),
        live: html`<section class="card" aria-labelledby="facts">
            <h2 id="facts">About this account</h2>
            <dl class="facts">
              <dt>Email</dt><dd><bdi>${account.email ?? "none"}</bdi></dd>
              <dt>Kind</dt><dd>${account.kind}</dd>
              <dt>Created</dt><dd>${when(account.created_at, visit.nowMs)}</dd>
              <dt>Spent this month</dt><dd>${usd(account.spent_month_micro_usd)}</dd>
              <dt>Id</dt><dd class="id">${accountId}</dd>
            </dl>
          </section>
          ${appsTable(account, apps, visit.nowMs)} ${tokensTable(tokens, visit)}`
      }
    })
  )

  action(
    {
      path: `${path}/tokens/:prefix/revoke`,
      operationId: "revokeAccountTokenInConsole",
      summary: "Revoke an account token"
    },
    (visit) =>
      Effect.gen(function* () {
        const { account_id: accountId } = yield* findAccount(visit)
        const prefix = visit.params["prefix"] ?? ""
        const isRevoked =
          /^lat_\w{1,20}$/.test(prefix) && (yield* AccountTokens.use((tokens) => tokens.revoke(accountId, prefix)))
        if (!isRevoked) return yield* tokenNotFound
        return done(`${ACCOUNTS_PATH}/${accountId}`, `The token ${prefix}… is revoked.`)
      }),
    ({ params }) => `${ACCOUNTS_PATH}/${params["account_id"]}`
  )
}
