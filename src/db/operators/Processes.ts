import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

/** Maximum number of processes in one answer. */
const MOST = 1000

export interface ProcessRow {
  readonly process_id: string
  readonly worker_id: string | null
  readonly version: string
  readonly roles: ReadonlyArray<string>
  readonly host: string
  readonly pid: number
  readonly started_at: Date
  readonly heartbeat_at: Date
  /** What its worker holds. */
  readonly turns: number
  readonly lanes: number
  readonly updates: number
  readonly jobs: number
}

/** The running processes, and what their workers hold. */
export class Processes extends Context.Service<
  Processes,
  { readonly list: Effect.Effect<ReadonlyArray<ProcessRow>, DatabaseError> }
>()("src/db/operators/Processes") {
  static readonly layer = Layer.effect(
    Processes,
    Effect.gen(function* () {
      const { query } = yield* Database
      return Processes.of({
        list: query<Array<ProcessRow>>(
          (sql) => sql`
        select p.process_id, p.worker_id, p.version, array_to_json(p.roles) as roles, p.host, p.pid, p.started_at,
          p.heartbeat_at,
          (select count(*)::int from turns t where t.owner = p.worker_id and t.outcome is null) as turns,
          (select count(*)::int from lanes l where l.owner = p.worker_id) as lanes,
          (select count(*)::int from telegram_updates u where u.owner = p.worker_id) as updates,
          (select count(*)::int from workers w join graphile_worker.jobs j on j.locked_by = w.pool_id
            where w.worker_id = p.worker_id) as jobs
        from processes p order by p.started_at, p.process_id limit ${MOST}::int`
        )
      })
    })
  )
}
