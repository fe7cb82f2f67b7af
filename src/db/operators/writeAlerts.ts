import * as Effect from "effect/Effect"
import type { AlertType } from "#channels/OperationalLog.ts"
import { newId } from "#pipeline/domain/Id.ts"
import type { AlertChange, OpenAlert } from "#src/health/alertChanges.ts"
import type { Group } from "#src/health/Group.ts"
import { commandStep, type NextStep, type ProblemKind, type Severity } from "#src/health/Problem.ts"
import { appendOperational } from "#src/db/delivery/appendOperational.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { ALERTS_APP } from "#src/health/alertsApp.ts"

/** A time without a worker or without the database, which could only be noticed afterwards. */
export interface Interruption {
  readonly kind: Extract<ProblemKind, "no_worker" | "database_unreachable">
  readonly since: Date
}

interface Told {
  readonly alert_id: string
  readonly kind: string
  readonly app_id: string | null
  readonly severity: Severity
  readonly problems: number
  readonly repeats: number
  readonly since: Date | null
  readonly opened_at: Date
  readonly resolved_at: Date | null
  readonly cause: string
  readonly next_step: NextStep
  readonly subjects: string
}

const inWords = ({ description, method, path, command }: NextStep): string =>
  command !== null ? `${description}: ${command}` : path !== null ? `${description}: ${method} ${path}` : description

/** Tells the receivers of alerts about the alert as it is stored now. */
const tell = Effect.fnUntraced(function* (type: AlertType, alertId: string) {
  const { query } = yield* Database
  const [alert] = yield* query<Array<Told>>(
    (sql) => sql`
    select alert_id, kind, app_id, severity, problems, repeats, since, opened_at, resolved_at, cause, next_step,
      coalesce((select string_agg(coalesce(s ->> 'bot_id', s ->> 'channel_id', s ->> 'worker_id', s ->> 'task'), ', ')
        from (select e -> 'subject' as s from json_array_elements(examples) e) x), '') as subjects
    from alerts where alert_id = ${alertId}`
  )
  if (alert === undefined) return
  const { since, opened_at, resolved_at, next_step, subjects, ...rest } = alert
  yield* appendOperational({
    appId: ALERTS_APP,
    type,
    payload: {
      ...rest,
      subjects: subjects === "" ? null : subjects,
      since: since?.toISOString() ?? null,
      opened_at: opened_at.toISOString(),
      resolved_at: resolved_at?.toISOString() ?? null,
      duration_seconds:
        resolved_at === null ? null : Math.round((resolved_at.getTime() - (since ?? opened_at).getTime()) / 1000),
      next_step: inWords(next_step)
    }
  })
})

export const openAlert = Effect.fnUntraced(function* (group: Group) {
  const { query } = yield* Database
  const id = newId("alr")
  yield* query(
    (sql) => sql`
    insert into alerts (alert_id, kind, app_id, severity, since, problems, most_problems, cause, next_step, examples)
    values (${id}, ${group.kind}, ${group.app_id}, ${group.severity}, ${group.since}::text::timestamptz,
      ${group.problems}, ${group.problems}, ${group.cause}, ${JSON.stringify(group.next_step)}::text::json,
      ${JSON.stringify(group.examples)}::text::json)`
  )
  yield* tell("alert.opened", id)
})

export const keepAlert = Effect.fnUntraced(function* (change: Extract<AlertChange, { readonly change: "keep" }>) {
  const { query } = yield* Database
  const { alert, group } = change
  yield* query(
    (sql) => sql`
    update alerts set severity = ${group.severity}, problems = ${group.problems}, absent = 0,
      most_problems = case when ${change.tell} then greatest(most_problems, ${group.problems}) else most_problems end,
      repeats = repeats + ${change.tell}::boolean::int, sent_at = case when ${change.tell} then now() else sent_at end,
      cause = ${group.cause}, next_step = ${JSON.stringify(group.next_step)}::text::json,
      examples = ${JSON.stringify(group.examples)}::text::json
    where alert_id = ${alert.alert_id}`
  )
  if (change.tell) yield* tell("alert.repeated", alert.alert_id)
})

export const missAlert = Effect.fnUntraced(function* ({ alert_id }: OpenAlert) {
  const { query } = yield* Database
  yield* query((sql) => sql`update alerts set absent = absent + 1 where alert_id = ${alert_id}`)
})

export const resolveAlert = Effect.fnUntraced(function* ({ alert_id }: OpenAlert) {
  const { query } = yield* Database
  yield* query((sql) => sql`update alerts set resolved_at = now(), sent_at = now() where alert_id = ${alert_id}`)
  yield* tell("alert.resolved", alert_id)
})

const WORDS = {
  no_worker: {
    cause: "No worker was running: nothing was answered or delivered",
    next_step: commandStep("Find out in the logs and from the supervisor why no worker was running")
  },
  database_unreachable: {
    cause: "PostgreSQL did not answer",
    next_step: commandStep("Find out in the log of PostgreSQL why it did not answer")
  }
} as const

/** An alert that is told and resolved at once, unless one of the same time is stored. */
export const closedAlert = Effect.fnUntraced(function* ({ kind, since }: Interruption) {
  const { query } = yield* Database
  const id = newId("alr")
  const { cause, next_step } = WORDS[kind]
  const stored = yield* query(
    (sql) => sql`
    insert into alerts (alert_id, kind, severity, since, problems, most_problems, cause, next_step, examples,
      resolved_at)
    select ${id}, ${kind}, 'critical', ${since.toISOString()}::timestamptz, 1, 1, ${cause},
      ${JSON.stringify(next_step)}::text::json, '[]', now()
    where not exists (select from alerts where kind = ${kind} and resolved_at > ${since.toISOString()}::timestamptz)
    returning 1`
  )
  if (stored.length === 0) return
  yield* tell("alert.opened", id)
  yield* tell("alert.resolved", id)
})
