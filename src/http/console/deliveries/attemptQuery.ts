import { ATTEMPT_STATES, type AttemptFilter } from "#src/db/operators/attemptFilter.ts"
import type { Html } from "#src/http/server/page.ts"
import { appInput } from "../appFilter.ts"
import { filters, input, select } from "../form.ts"
import { choice, words } from "../url.ts"

export const DELIVERIES_PATH = "/console/deliveries"
const CLASSES = { none: 0, "2xx": 2, "3xx": 3, "4xx": 4, "5xx": 5 } as const
const AGES = { "3600": "the last hour", "86400": "the last day", "604800": "the last 7 days" } as const

export const anyAttempt: AttemptFilter = {
  appId: null,
  channelId: null,
  state: "any",
  statusClass: null,
  errorCode: null,
  eventId: null,
  since: null,
  until: null
}

/** The filter in a URL, or in the hidden field of a form. */
export const attemptFilterOf = (query: URLSearchParams, nowMs: number): AttemptFilter => {
  const status = choice(query, "status", Object.keys(CLASSES) as ReadonlyArray<keyof typeof CLASSES>)
  const age = choice(query, "age", Object.keys(AGES))
  return {
    appId: words(query, "app"),
    channelId: words(query, "channel"),
    state: choice(query, "state", ATTEMPT_STATES) ?? "failed",
    statusClass: status === null ? null : CLASSES[status],
    errorCode: words(query, "error"),
    eventId: words(query, "event"),
    since: age === null ? null : new Date(nowMs - Number(age) * 1000),
    until: null
  }
}

/** What of a URL belongs to the filter. */
export const attemptFilterText = (query: URLSearchParams): string => {
  const kept = new URLSearchParams()
  for (const name of ["app", "channel", "state", "status", "error", "event", "age"]) {
    const value = words(query, name)
    if (value !== null) kept.set(name, value)
  }
  return kept.toString()
}

const any = { value: "", label: "any" }

export const attemptFilters = (query: URLSearchParams): Html =>
  filters(DELIVERIES_PATH, [
    select({
      name: "state",
      label: "Outcome",
      value: query.get("state") ?? "failed",
      options: ATTEMPT_STATES.map((value) => ({ value, label: value.replaceAll("_", " ") }))
    }),
    select({
      name: "status",
      label: "Status",
      value: query.get("status") ?? "",
      options: [any, ...Object.keys(CLASSES).map((value) => ({ value, label: value }))]
    }),
    select({
      name: "age",
      label: "Events of",
      value: query.get("age") ?? "",
      options: [{ value: "", label: "any time" }, ...Object.entries(AGES).map(([value, label]) => ({ value, label }))]
    }),
    appInput(query),
    input({ name: "channel", label: "Id of a bot or webhook", value: query.get("channel") ?? "" }),
    input({ name: "error", label: "Error", value: query.get("error") ?? "" }),
    input({ name: "event", label: "Id of an event", value: query.get("event") ?? "" })
  ])
