import * as Schema from "effect/Schema"
import { reachWords } from "#src/health/reach.ts"
import { printable } from "#src/commands/terminal/output.ts"

const Figure = Schema.Struct({ value: Schema.NullOr(Schema.Finite) })

/** The fields of `GET /admin/overview` that commands show. */
export const Overview = Schema.Struct({
  status: Schema.Literals(["ok", "degraded", "down"]),
  verdict: Schema.String,
  attention: Schema.Array(
    Schema.Struct({
      kind: Schema.String,
      app_id: Schema.NullOr(Schema.String),
      app_name: Schema.NullOr(Schema.String),
      names: Schema.Array(Schema.String),
      severity: Schema.Literals(["critical", "warning", "info"]),
      problems: Schema.Int,
      reach: Schema.NullOr(Schema.Int),
      since: Schema.NullOr(Schema.String),
      cause: Schema.String,
      next_step: Schema.Struct({
        description: Schema.String,
        method: Schema.NullOr(Schema.String),
        path: Schema.NullOr(Schema.String),
        command: Schema.NullOr(Schema.String)
      })
    })
  ),
  fleet: Schema.NullOr(Schema.Struct({ apps: Schema.Int, bots: Schema.Int, webhooks: Schema.Int })),
  figures: Schema.Struct({
    messages_in: Figure,
    messages_out: Figure,
    accept_to_reply_p50_ms: Figure,
    accept_to_reply_p99_ms: Figure,
    unknown: Figure,
    expired: Figure,
    spent_today_usd: Figure,
    spent_yesterday_usd: Figure
  })
})
export type Overview = typeof Overview.Type

/** Problems on one screen. */
const MOST = 15

const ago = (since: string | null, now: number): string => {
  if (since === null) return ""
  const seconds = Math.max(0, Math.round((now - Date.parse(since)) / 1000))
  if (seconds < 120) return ` for ${seconds} s`
  if (seconds < 7200) return ` for ${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? ` for ${Math.round(seconds / 3600)} h` : ` for ${Math.round(seconds / 86_400)} days`
}

const seconds = (ms: number | null) => (ms === null ? "-" : `${(ms / 1000).toFixed(1)} s`)
const usd = (value: number | null) => (value === null ? "-" : `$${value.toFixed(2)}`)

const stepOf = ({ description, method, path, command }: Overview["attention"][number]["next_step"]) =>
  `${description}${command !== null ? `: ${command}` : path !== null ? `: ${method} ${path}` : ""}`

const problemLines = (item: Overview["attention"][number], now: number): ReadonlyArray<string> => {
  const app = item.app_name ?? item.app_id
  const things = item.names.filter((name) => name !== app)
  const rest = item.problems - item.names.length
  const about = [app ?? [], things.length === 0 ? [] : [...things, ...(rest > 0 ? [`${rest} more`] : [])].join(", ")]
    .flat()
    .join(": ")
  const reached = reachWords(item.reach)
  const lasts = `${ago(item.since, now)}${reached === null ? "" : `, ${reached}`}`
  const times = item.problems > 1 ? ` x${item.problems}` : ""
  return [
    `${item.severity.padEnd(8)} ${printable(item.kind)}${times}${lasts}  ${printable(about)}`.trimEnd(),
    `         ${printable(item.cause)}`,
    `         > ${printable(stepOf(item.next_step))}`
  ]
}

/** The overview as lines of text. */
export const overviewLines = ({ verdict, attention, figures, fleet }: Overview, now: number): ReadonlyArray<string> => [
  printable(verdict),
  "",
  ...attention.slice(0, MOST).flatMap((item) => problemLines(item, now)),
  ...(attention.length > MOST ? [`... and ${attention.length - MOST} more: GET /admin/health`] : []),
  ...(attention.length > 0 ? [""] : []),
  `Today     ${figures.messages_in.value} in, ${figures.messages_out.value} out, ${figures.unknown.value} unknown, ` +
    `${figures.expired.value} expired`,
  `Replies   p50 ${seconds(figures.accept_to_reply_p50_ms.value)}, ` +
    `p99 ${seconds(figures.accept_to_reply_p99_ms.value)}`,
  `Spent     ${usd(figures.spent_today_usd.value)} today, ${usd(figures.spent_yesterday_usd.value)} yesterday`,
  ...(fleet === null ? [] : [`Fleet     ${fleet.apps} apps, ${fleet.bots} bots, ${fleet.webhooks} webhooks`])
]
