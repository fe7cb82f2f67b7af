import * as Effect from "effect/Effect"
import { type AppAllowance, Allowances } from "#src/db/billing/Allowances.ts"
import { Health } from "#src/db/operators/Health.ts"
import { type AppRow, OperatorApps } from "#src/db/operators/OperatorApps.ts"
import { Spending, type SpendingRow } from "#src/db/operators/Spending.ts"
import { type ApiKey, ApiKeys } from "#src/db/tenancy/ApiKeys.ts"
import { anyAppNotFound } from "#src/http/operators/operatorErrors.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { lineChart } from "../chart.ts"
import type { Console } from "../console.ts"
import { compact, count, meter, usd, when } from "../figures.ts"
import { tag } from "../icons.ts"
import { attentionFeed } from "../overview/attentionFeed.ts"
import { namesOf } from "#src/http/operators/problemNames.ts"
import type { Visit } from "../Screen.ts"
import { table } from "../table.ts"
import { appState, APPS_PATH } from "./appsScreen.ts"

const DAY_MS = 86_400_000
const DAYS = 30
const MAX_KEYS_SHOWN = 100

const day = (atMs: number) => new Date(atMs).toISOString().slice(0, 10)

export const findApp = Effect.fnUntraced(function* (appId: string) {
  return (yield* OperatorApps.use((apps) => apps.get(appId))) ?? (yield* anyAppNotFound)
})

/** What was spent, with or without a budget. What is used of a budget includes what is reserved. */
const spending = (name: string, spent: number, used: number, limit: number | null): Html => {
  const share = limit === null ? "no limit" : `${usd(used)} of ${usd(limit)} used`
  return html`<div>
    <dt>${name}</dt>
    <dd>${usd(spent)} <span class="small">${share}</span></dd>
    ${limit === null ? null : meter(used, limit, `${name}: ${share}`)}
  </div>`
}

const money = (app: AppRow, allowance: AppAllowance): Html =>
  html`<section class="card" aria-labelledby="budgets">
    <h2 id="budgets">Spending and limits</h2>
    <dl class="figures">
      ${spending("Spent today", app.spent_day_micro_usd, allowance.day_used_micro_usd, allowance.daily_limit_micro_usd)}
      ${spending(
        "Spent this month",
        app.spent_month_micro_usd,
        allowance.month_used_micro_usd,
        allowance.monthly_limit_micro_usd
      )}
      <div><dt>When a budget is spent</dt>
        <dd>${allowance.hard_stop ? "messages are refused" : "only a warning"}</dd></div>
      <div>
        <dt>Messages per minute</dt>
        <dd>${allowance.messages_per_minute === null ? "server default" : count(allowance.messages_per_minute)}</dd>
      </div>
    </dl>
    <p class="soft small">
      What was spent is counted once a minute. A budget also counts what is reserved for work in progress, at once.
    </p>
  </section>`

const keys = (all: ReadonlyArray<ApiKey>, nowMs: number): Html =>
  html`<section class="card flush" aria-labelledby="keys">
    <h2 id="keys">Keys</h2>
    ${table<ApiKey>({
      label: "Keys",
      columns: [
        { label: "Key", cell: ({ prefix, name }) => html`<span class="id">${prefix}…</span> <bdi>${name}</bdi>` },
        {
          label: "State",
          cell: ({ status }) => tag(status === "active" ? "good" : "none", status)
        },
        { label: "Last used", cell: ({ last_used_at }) => when(last_used_at, nowMs) },
        { label: "Expires", cell: ({ expires_at }) => when(expires_at, nowMs) },
        { label: "Created", cell: ({ created_at }) => when(created_at, nowMs) }
      ],
      rows: all,
      empty: html`<p>This app has no keys.</p>`
    })}
  </section>`

const byDay = (rows: ReadonlyArray<SpendingRow>, nowMs: number): Html => {
  const found = new Map(rows.map((row) => [row.key, row]))
  const days = Array.from({ length: DAYS }, (_, index) => nowMs - (DAYS - 1 - index) * DAY_MS)
  const values = days.map((at) => found.get(day(at))?.micro_usd ?? 0)
  return lineChart({
    id: "spend-by-day",
    title: "Spent each day",
    summary: `${usd(values.reduce((sum, value) => sum + value, 0))} in ${DAYS} days`,
    at: days.map((at) => new Date(`${day(at)}T00:00:00Z`)),
    series: [{ name: "Spent", values }],
    format: usd,
    least: 10_000,
    by: "day"
  })
}

const byModel = (rows: ReadonlyArray<SpendingRow>): Html =>
  html`<section class="card flush" aria-labelledby="models">
    <h2 id="models">Models, last ${DAYS} days</h2>
    ${table<SpendingRow>({
      label: "Spending by model",
      columns: [
        { label: "Model", cell: ({ key }) => html`<bdi>${key}</bdi>` },
        { label: "Spent", num: true, cell: ({ micro_usd }) => usd(micro_usd) },
        { label: "Tokens in", num: true, cell: ({ input_tokens }) => compact(input_tokens) },
        { label: "Tokens out", num: true, cell: ({ output_tokens }) => compact(output_tokens) }
      ],
      rows,
      empty: html`<p>No model was used.</p>`
    })}
  </section>`

const actions = (app: AppRow, { acts }: Visit): Html =>
  !acts
    ? html``
    : app.suspended_at === null
      ? html`<a class="button danger" href="${APPS_PATH}/${app.app_id}/suspend">Suspend…</a>`
      : html`<a class="button first" href="${APPS_PATH}/${app.app_id}/resume">Resume…</a>`

/** One app: what is wrong with it, what it spends, and its keys. */
export const appScreen = ({ screen }: Console): void =>
  screen({ path: `${APPS_PATH}/:app_id`, operationId: "showApp", summary: "The screen of an app" }, (visit) =>
    Effect.gen(function* () {
      const { nowMs } = visit
      const app = yield* findApp(visit.params["app_id"] ?? "")
      const period = { appId: app.app_id, from: day(nowMs - (DAYS - 1) * DAY_MS), to: day(nowMs) }
      const [allowance, all, days, models, { problems }] = yield* Effect.all(
        [
          Allowances.use((allowances) => allowances.ofApp(app.app_id)),
          ApiKeys.use((keys) => keys.list(app.app_id, { after: null, limit: MAX_KEYS_SHOWN })),
          Spending.use((spending) => spending.read({ ...period, groupBy: "day" })),
          Spending.use((spending) => spending.read({ ...period, groupBy: "model" })),
          Health.use((health) => health.ofApp(app.app_id))
        ],
        { concurrency: 3 }
      )
      const own = problems.filter(({ subject }) => subject.app_id === app.app_id)
      return {
        section: APPS_PATH,
        above: { url: APPS_PATH, name: "Apps" },
        title: app.name,
        actions: actions(app, visit),
        live: html`<p class="row">${appState(app)}
            ${
              app.suspended_at === null
                ? null
                : html`<a href="/console/audit?app=${app.app_id}&amp;action=app.suspended">Who suspended it</a>`
            }
            <span class="id">${app.app_id}</span>
            <a href="/console/bots?app=${app.app_id}">Bots</a>
            <a href="/console/conversations?app=${app.app_id}">Conversations</a>
            <a href="/console/deliveries?app=${app.app_id}">Deliveries</a>
            <a href="/console/characters?app=${app.app_id}">Characters and failed imports</a>
            <a href="/console/audit?app=${app.app_id}">Audit</a></p>
          ${attentionFeed(own, { nowMs, names: yield* namesOf(own), here: visit.path })}
          ${money(app, allowance)}
          <div class="split">${byDay(days, nowMs)} ${byModel(models)}</div>
          ${keys(all, nowMs)}`
      }
    })
  )
