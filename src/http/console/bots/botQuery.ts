import type { BotFilter } from "#src/db/operators/botFilter.ts"
import type { BotSort } from "#src/db/operators/FleetBots.ts"
import { BOT_STATUSES } from "#src/db/telegram/bots/StoredBot.ts"
import type { Html } from "#src/http/server/page.ts"
import { appInput } from "../appFilter.ts"
import { filters, select } from "../form.ts"
import { choice, words } from "../url.ts"
import { botStateName } from "./botStates.ts"

export const BOTS_PATH = "/console/bots"
const SORTS: ReadonlyArray<BotSort> = ["worst", "last_in", "last_out", "newest"]
const SHOWN = BOT_STATUSES.filter((status) => status !== "detached")
const REASON = /^[a-z_]{1,60}$/
/** What "late" and "silent" can mean, in seconds. */
const LATE = { "60": "1 minute", "600": "10 minutes", "3600": "1 hour" } as const
const SILENT = { "3600": "1 hour", "86400": "1 day", "604800": "7 days" } as const

const seconds = (query: URLSearchParams, name: string, from: Readonly<Record<string, string>>): number | null => {
  const value = choice(query, name, Object.keys(from))
  return value === null ? null : Number(value)
}

/** The filter in a URL, or in the hidden field of a form. */
export const botFilterOf = (query: URLSearchParams): BotFilter => {
  const state = choice(query, "state", SHOWN)
  const reason = words(query, "reason")
  return {
    appId: words(query, "app"),
    botIds: [],
    states: state === null ? [] : [state],
    reason: reason !== null && REASON.test(reason) ? reason : null,
    lagOver: seconds(query, "late", LATE),
    silentFor: seconds(query, "silent", SILENT),
    unsentFor: seconds(query, "unsent", SILENT)
  }
}

export const botSortOf = (query: URLSearchParams): BotSort => choice(query, "sort", SORTS) ?? "worst"

/** What of a URL belongs to the filter. */
export const filterText = (query: URLSearchParams): string => {
  const kept = new URLSearchParams()
  for (const name of ["app", "state", "reason", "late", "silent", "unsent"]) {
    const value = words(query, name)
    if (value !== null) kept.set(name, value)
  }
  return kept.toString()
}

const any = { value: "", label: "any" }
const optionsOf = (from: Readonly<Record<string, string>>) => [
  any,
  ...Object.entries(from).map(([value, label]) => ({ value, label: `for ${label}` }))
]

export const botFilters = (query: URLSearchParams): Html =>
  filters(
    BOTS_PATH,
    [
      select({
        name: "state",
        label: "State",
        value: query.get("state") ?? "",
        options: [any, ...SHOWN.map((value) => ({ value, label: botStateName(value) }))]
      }),
      select({ name: "late", label: "Messages wait", value: query.get("late") ?? "", options: optionsOf(LATE) }),
      select({
        name: "silent",
        label: "Nothing came in",
        value: query.get("silent") ?? "",
        options: optionsOf(SILENT)
      }),
      select({
        name: "unsent",
        label: "Nothing went out",
        value: query.get("unsent") ?? "",
        options: optionsOf(SILENT)
      }),
      appInput(query)
    ],
    { sort: query.get("sort"), reason: query.get("reason") }
  )
