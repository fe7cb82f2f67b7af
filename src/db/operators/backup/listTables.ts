import type { Sql } from "#src/db/postgres/postgres.ts"
import { JOBS } from "./backupFile.ts"

export interface CopiedTable {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  /** Writes its rows to the client. */
  readonly statement: string
}

const JOB_COLUMNS = ["task", "payload", "queue_name", "run_at", "max_attempts", "job_key", "priority"]

const COPY_JOBS = `copy (
  select t.identifier as task, j.payload, q.queue_name, j.run_at, j.max_attempts, j.key as job_key, j.priority
  from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
) to stdout`

/** Every table with its columns, except computed ones, and the jobs. The migrations are in the manifest. */
export const listTables = async (sql: Sql): Promise<ReadonlyArray<CopiedTable>> => {
  const tables = await sql<Array<{ name: string; columns: ReadonlyArray<string>; statement: string }>>`
    select c.relname::text as name, json_agg(a.attname order by a.attnum) as columns,
      format('copy %I (%s) to stdout', c.relname,
        string_agg(format('%I', a.attname), ', ' order by a.attnum)) as statement
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      and a.attgenerated = ''
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname <> 'schema_migrations'
    group by c.relname order by c.relname`
  const [jobs] = await sql`select 1 where to_regclass('graphile_worker._private_jobs') is not null`
  return jobs === undefined ? tables : [...tables, { name: JOBS, columns: JOB_COLUMNS, statement: COPY_JOBS }]
}

/** Adds the restored jobs, unlocked and with all their attempts. */
export const addJobs = `select count(graphile_worker.add_job(identifier => task, payload => payload,
    queue_name => queue_name, run_at => run_at, max_attempts => max_attempts, job_key => job_key, priority => priority))
  from restored_jobs`
export const makeJobsTable = `create temp table restored_jobs (task text, payload json, queue_name text,
  run_at timestamptz, max_attempts int, job_key text, priority int) on commit drop`
