import type { AuditResource } from "./operatorAuditRoutes.ts"

const COLUMNS: ReadonlyArray<readonly [name: string, value: (entry: AuditResource) => string | null]> = [
  ["id", ({ id }) => id],
  ["at", ({ at }) => at],
  ["action", ({ action }) => action],
  ["actor_kind", ({ actor }) => actor.kind],
  ["actor", ({ actor }) => actor.id],
  ["address", ({ actor }) => actor.address],
  ["credential", ({ actor }) => actor.credential],
  ["account_id", ({ account_id }) => account_id],
  ["app_id", ({ app_id }) => app_id],
  ["subject", ({ subject }) => subject],
  ["detail", ({ detail }) => JSON.stringify(detail)]
]

/** A spreadsheet would compute a cell that begins like a formula, so that gets an apostrophe. */
const cell = (value: string | null): string => {
  const text = value ?? ""
  return `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`
}

/** Entries as CSV (RFC 4180), with a header. */
export const toCsv = (entries: ReadonlyArray<AuditResource>): string =>
  [
    COLUMNS.map(([name]) => name).join(","),
    ...entries.map((entry) => COLUMNS.map(([, of]) => cell(of(entry))).join(","))
  ]
    .map((line) => `${line}\r\n`)
    .join("")
