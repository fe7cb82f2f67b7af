import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type AuditAction, auditing } from "#src/db/tenancy/auditLog.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

export interface JobQueue {
  readonly task: string
  /** Due and not started. */
  readonly due: number
  readonly oldest_due_at: Date | null
  /** Not due yet. */
  readonly scheduled: number
  readonly locked: number
  readonly failed: number
}

export interface StuckJob {
  readonly job_id: string
  readonly task: string
  readonly state: "failed" | "locked"
  readonly attempts: number
  readonly max_attempts: number
  readonly created_at: Date
  readonly run_at: Date
  readonly locked_at: Date | null
  readonly locked_by: string | null
  readonly last_error: string | null
}

export interface JobFilter {
  readonly task: string | null
  readonly state: "failed" | "locked" | null
  readonly after: string | null
  readonly limit: number
}

/** Up to this many jobs are counted. */
const COUNTED = 50_000
/** Characters of an error that are shown. */
const ERROR_CHARS = 1000

/** The background jobs: how many wait for how long, and those that failed for good or that a worker holds. */
export class Jobs extends Context.Service<
  Jobs,
  {
    readonly queues: Effect.Effect<ReadonlyArray<JobQueue>, DatabaseError>
    readonly list: (filter: JobFilter) => Effect.Effect<ReadonlyArray<StuckJob>, DatabaseError>
    /** Has a failed job run again, now. False: there is no such failed job. */
    readonly retry: (jobId: string) => Effect.Effect<boolean, DatabaseError>
    /** Removes a failed job. */
    readonly remove: (jobId: string) => Effect.Effect<boolean, DatabaseError>
  }
>()("src/db/operators/Jobs") {
  static readonly layer = Layer.effect(
    Jobs,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const record = auditing(database)

      /** Locks a failed job, and runs the statement on it. A parked job can never run, so it counts as failed. */
      const change = (jobId: string, action: AuditAction, how: "retry" | "remove") =>
        transaction(
          Effect.gen(function* () {
            const [job] = yield* query<Array<{ task: string; error: string | null }>>(
              (sql) => sql`
            select task_identifier as task, left(last_error, ${ERROR_CHARS}::int) as error from graphile_worker.jobs
            where id = ${jobId}::text::bigint and locked_at is null
              and (attempts >= max_attempts or task_identifier = 'parked')`
            )
            if (job === undefined) return false
            const changed = yield* query((sql) =>
              how === "retry"
                ? sql`
            select 1 from graphile_worker.reschedule_jobs(array[${jobId}::text::bigint], now(), attempts := 0)`
                : sql`select 1 from graphile_worker.complete_jobs(array[${jobId}::text::bigint])`
            )
            if (changed.length === 0) return false
            yield* record({ action, subject: jobId, detail: job })
            return true
          })
        )

      return Jobs.of({
        queues: query<Array<JobQueue>>(
          (sql) => sql`
        select task_identifier as task,
          count(*) filter (where is_open and run_at <= now())::int as due,
          min(run_at) filter (where is_open and run_at <= now()) as oldest_due_at,
          count(*) filter (where is_open and run_at > now())::int as scheduled,
          count(*) filter (where locked_at is not null)::int as locked,
          count(*) filter (where locked_at is null and not is_open)::int as failed
        from (
          select task_identifier, run_at, locked_at, locked_at is null and attempts < max_attempts
            and task_identifier <> 'parked' as is_open
          from graphile_worker.jobs limit ${COUNTED}::int
        ) j group by 1 order by 1`
        ),
        list: ({ task, state, after, limit }) =>
          query<Array<StuckJob>>(
            (sql) => sql`
          select id::text as job_id, task_identifier as task, state, attempts::int as attempts,
            max_attempts::int as max_attempts, created_at, run_at, locked_at, locked_by,
            left(last_error, ${ERROR_CHARS}::int) as last_error
          from (
            select id, task_identifier, attempts, max_attempts, created_at, run_at, locked_at, locked_by, last_error,
              case when locked_at is not null then 'locked'
                when attempts >= max_attempts or task_identifier = 'parked' then 'failed' end as state
            from graphile_worker.jobs
          ) j
          where state is not null and (${state}::text is null or state = ${state})
            and (${task}::text is null or task_identifier = ${task})
            and (${after}::text is null or id > ${after}::text::bigint)
          order by id limit ${limit}::int`
          ),
        retry: (jobId) => change(jobId, "job.retried", "retry"),
        remove: (jobId) => change(jobId, "job.removed", "remove")
      })
    })
  )
}
