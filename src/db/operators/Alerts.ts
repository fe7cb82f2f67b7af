import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { LogSignals } from "#channels/event-log/LogSignals.ts"
import { type AlertChange, alertChanges, type OpenAlert } from "#src/health/alertChanges.ts"
import { fold } from "#src/health/Group.ts"
import type { NextStep, Problem, Severity } from "#src/health/Problem.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { closedAlert, keepAlert, missAlert, openAlert, resolveAlert, type Interruption } from "./writeAlerts.ts"

/** Alerts are evaluated every minute. After a longer gap, no worker was running. */
const GAP = "4 minutes"

/** Before the reach of problems was counted, they were stored without it. */
type StoredProblem = Omit<Problem, "reach"> & { readonly reach?: number | null }

export interface StoredAlert {
  readonly alert_id: string
  readonly kind: string
  readonly app_id: string | null
  readonly severity: Severity
  readonly since: Date | null
  readonly opened_at: Date
  readonly resolved_at: Date | null
  readonly problems: number
  readonly most_problems: number
  readonly repeats: number
  readonly sent_at: Date
  readonly cause: string
  readonly next_step: NextStep
  readonly examples: ReadonlyArray<StoredProblem>
}

/**
 * The alerts of the server: problems of one kind in one app, or of the server. Each opens once, repeats with its count
 * at a bounded frequency, and is resolved once. They are written in one transaction with the events that tell of them.
 */
export class Alerts extends Context.Service<
  Alerts,
  {
    /** Opens, repeats and resolves alerts. Only one process at a time does so; the others wait for it. */
    readonly evaluate: (problems: ReadonlyArray<Problem>, now: Date) => Effect.Effect<void, DatabaseError>
    /** Records an interruption that has ended, unless another process has recorded it. */
    readonly record: (interruption: Interruption) => Effect.Effect<void, DatabaseError>
    /** Newest first. */
    readonly list: (filter: {
      readonly state: "open" | "resolved" | null
      readonly before: string | null
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<StoredAlert>, DatabaseError>
  }
>()("src/db/operators/Alerts") {
  static readonly layer = Layer.effect(
    Alerts,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database
      const services = yield* Effect.context<Database | LogSignals>()

      const lock = query<Array<{ gap_since: Date | null }>>(
        (sql) => sql`
        update alert_evaluation e set at = now() from (select at from alert_evaluation for update) o
        returning case when o.at < now() - ${GAP}::interval then o.at end as gap_since`
      )
      const open = query<Array<OpenAlert>>(
        (sql) => sql`
        select alert_id, kind, app_id, severity, most_problems, repeats, sent_at, absent from alerts
        where resolved_at is null order by alert_id`
      )

      const write = (change: AlertChange) => {
        switch (change.change) {
          case "open":
            return openAlert(change.group)
          case "keep":
            return keepAlert(change)
          case "miss":
            return missAlert(change.alert)
          case "resolve":
            return resolveAlert(change.alert)
        }
      }

      const evaluate = Effect.fnUntraced(
        function* (problems: ReadonlyArray<Problem>, now: Date) {
          const [evaluation] = yield* lock
          if (evaluation !== undefined && evaluation.gap_since !== null)
            yield* closedAlert({ kind: "no_worker", since: evaluation.gap_since })
          for (const change of alertChanges(yield* open, fold(problems), now)) yield* write(change)
        },
        transaction,
        Effect.provideContext(services)
      )

      const record = Effect.fnUntraced(
        function* (interruption: Interruption) {
          yield* query((sql) => sql`select at from alert_evaluation for update`)
          yield* closedAlert(interruption)
        },
        transaction,
        Effect.provideContext(services)
      )

      return Alerts.of({
        evaluate,
        record,
        list: ({ state, before, limit }) =>
          query<Array<StoredAlert>>(
            (sql) => sql`
          select alert_id, kind, app_id, severity, since, opened_at, resolved_at, problems, most_problems, repeats,
            sent_at, cause, next_step, examples
          from alerts
          where (${before}::text is null or alert_id < ${before})
            and (${state}::text is null or (resolved_at is null) = (${state}::text = 'open'))
          order by alert_id desc limit ${limit}::int`
          )
      })
    })
  )
}
