import * as Effect from "effect/Effect"
import { type AuditFilter, OperatorAudit, type OperatorAuditEntry } from "#src/db/operators/OperatorAudit.ts"
import { cursorKey, page } from "#src/http/server/listing.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { toAuditDetail } from "#src/http/tenancy/auditDetail.ts"
import type { Console } from "../console.ts"
import { when } from "../figures.ts"
import { filters, input, select } from "../form.ts"
import { pages } from "../pages.ts"
import { table } from "../table.ts"
import { choice, words } from "../url.ts"

export const AUDIT_PATH = "/console/audit"
const PER_PAGE = 50
const KINDS = {
  operator: "operators",
  person: "people of an account",
  account_token: "account tokens",
  runtime_key: "keys of an app",
  anybody: "nobody that is known"
} as const
const AGES = { "3600": "the last hour", "86400": "the last day", "604800": "the last 7 days" } as const

const filterOf = (query: URLSearchParams, nowMs: number): AuditFilter => {
  const age = choice(query, "age", Object.keys(AGES))
  return {
    actorKind: choice(query, "by", Object.keys(KINDS) as ReadonlyArray<keyof typeof KINDS>),
    actor: words(query, "actor"),
    action: words(query, "action"),
    appId: words(query, "app"),
    subject: words(query, "subject"),
    since: age === null ? null : new Date(nowMs - Number(age) * 1000),
    until: null
  }
}

/** Where a subject can be looked at. */
const subjectUrl = (subject: string): string | null =>
  subject.startsWith("ses_")
    ? `/console/conversations/${subject}`
    : subject.startsWith("bot_")
      ? `/console/bots/${subject}`
      : subject.startsWith("app_")
        ? `/console/apps/${subject}`
        : subject.startsWith("chn_")
          ? `/console/webhooks/${subject}`
          : subject.startsWith("op_")
            ? "/console/operators"
            : null

/** What was changed, and the app that it belongs to. */
const object = ({ subject, app_id, app_name }: OperatorAuditEntry): Html => {
  const app = app_id === null ? null : html`<a href="/console/apps/${app_id}"><bdi>${app_name ?? app_id}</bdi></a>`
  if (subject === null || subject === app_id) return app ?? html`<span class="soft">–</span>`
  const url = subjectUrl(subject)
  const named = url === null ? html`<bdi class="id">${subject}</bdi>` : html`<a class="id" href="${url}">${subject}</a>`
  return app === null ? named : html`${named} <span class="soft small">of ${app}</span>`
}

/** A value as people read it. An object as its fields. */
const valueText = (value: unknown): string =>
  typeof value === "string"
    ? value
    : typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value)
          .filter(([, inner]) => inner !== undefined)
          .map(([name, inner]) => `${name.replaceAll("_", " ")}: ${inner === null ? "none" : valueText(inner)}`)
          .join(", ")
      : JSON.stringify(value)

const details = (entry: OperatorAuditEntry): Html =>
  html`${Object.entries(toAuditDetail(entry))
    .filter(([, value]) => value !== undefined && value !== null)
    .map(
      ([name, value]) =>
        html`<div><span class="soft">${name.replaceAll("_", " ")}</span>
        <bdi>${valueText(value)}</bdi></div>`
    )}`

const auditFilters = (query: URLSearchParams): Html =>
  filters(AUDIT_PATH, [
    select({
      name: "by",
      label: "By",
      value: query.get("by") ?? "",
      options: [{ value: "", label: "anybody" }, ...Object.entries(KINDS).map(([value, label]) => ({ value, label }))]
    }),
    input({ name: "actor", label: "Who", value: query.get("actor") ?? "" }),
    input({ name: "action", label: "Action", value: query.get("action") ?? "" }),
    input({ name: "subject", label: "Of what", value: query.get("subject") ?? "" }),
    input({ name: "app", label: "App id", value: query.get("app") ?? "" }),
    select({
      name: "age",
      label: "When",
      value: query.get("age") ?? "",
      options: [{ value: "", label: "any time" }, ...Object.entries(AGES).map(([value, label]) => ({ value, label }))]
    })
  ])

const exportUrl = (query: URLSearchParams, format: "csv" | "jsonl"): string => {
  const asked = new URLSearchParams({ format })
  const names = { by: "actor_kind", actor: "actor", action: "action", subject: "subject", app: "app_id" }
  for (const [name, field] of Object.entries(names)) {
    const value = words(query, name)
    if (value !== null) asked.set(field, value)
  }
  return `/admin/audit/export?${asked}`
}

/** Who did what, newest first. */
export const auditScreen = ({ screen }: Console): void =>
  screen({ path: AUDIT_PATH, operationId: "showAudit", summary: "The screen of the audit log" }, (visit) =>
    Effect.gen(function* () {
      const { nowMs, query } = visit
      const before = yield* cursorKey(query.get("cursor") ?? undefined)
      const rows = yield* OperatorAudit.use((audit) =>
        audit.list(filterOf(query, nowMs), { before, limit: PER_PAGE + 1 })
      )
      const { items, next_cursor } = page(rows, PER_PAGE, ({ entry_id }) => entry_id)
      return {
        section: AUDIT_PATH,
        title: "Audit",
        actions: html`<a class="button" href="${exportUrl(query, "csv")}">Export as CSV</a>
          <a class="button" href="${exportUrl(query, "jsonl")}">As JSON lines</a>`,
        lead: auditFilters(query),
        live: html`<section class="card flush">
          ${table<OperatorAuditEntry>({
            label: "Audit log",
            columns: [
              { label: "When", cell: ({ at }) => when(at, nowMs) },
              {
                label: "Who",
                cell: ({ actor_kind, actor, address, token_name }) =>
                  html`${token_name === null ? null : html`<bdi>${token_name}</bdi> `}<bdi
                      >${actor ?? (actor_kind === "operator" ? "the command line" : KINDS[actor_kind])}</bdi
                    >
                    ${address === null ? null : html`<span class="soft small">from ${address}</span>`}`
              },
              { label: "Did", cell: ({ action }) => html`<strong>${action.replaceAll(/[._]/g, " ")}</strong>` },
              { label: "Of what", cell: object },
              { label: "Details", cell: details }
            ],
            rows: items,
            empty: html`<p>No entry matches.</p>`
          })}
          ${pages(visit, next_cursor)}
        </section>`
      }
    })
  )
