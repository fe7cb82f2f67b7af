import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { readMigrations } from "#src/db/postgres/migrationFiles.ts"
import {
  type AppliedMigration,
  appliedColumns,
  compareSchema,
  schemaProblem
} from "#src/db/postgres/schemaDifference.ts"
import { READ_ONLY } from "#src/db/postgres/sqlState.ts"

/** What has to be true for this process to do its work. */
export const READINESS_CHECKS = ["database", "standby", "schema", "write"] as const
export type ReadinessCheck = (typeof READINESS_CHECKS)[number]

/** The check that fails, what is wrong, and what the operator can do. */
export interface NotReady {
  readonly check: ReadinessCheck
  readonly message: string
  readonly fix: string
}

/** The result of a write is used for this long, however often it is asked for. */
const KEPT_MS = 5_000
/** How long a caller waits. A database that takes longer is not ready. */
const WAIT = "5 seconds"
/** SQLSTATE of a full disk. */
const DISK_FULL = "53100"

const away: NotReady = {
  check: "database",
  message: "The database cannot be reached.",
  fix: "Start the database, or correct DATABASE_URL."
}
const standby: NotReady = {
  check: "standby",
  message: "The database is a standby: nothing can be written to it.",
  fix: "Point DATABASE_URL at the primary."
}
const unwritable = ({ sqlState }: DatabaseError): NotReady =>
  sqlState === DISK_FULL
    ? { check: "write", message: "The disk of the database is full.", fix: "Free space on the disk of the database." }
    : sqlState === READ_ONLY
      ? {
          check: "write",
          message: "The database is read-only.",
          fix: "Remove default_transaction_read_only from the database and its role."
        }
      : {
          check: "write",
          message: `The database refuses writes${sqlState === null ? "" : ` (SQLSTATE ${sqlState})`}.`,
          fix: "Read the log of the database."
        }

/** Whether this process can do its work. The database is written at most every few seconds. */
export class Readiness extends Context.Service<
  Readiness,
  {
    /** Null: ready. */
    readonly check: Effect.Effect<NotReady | null>
  }
>()("src/db/operators/Readiness") {
  static readonly layer = Layer.effect(
    Readiness,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database
      const run = yield* FiberSet.makeRuntime()
      const ours = readMigrations()

      const schema = query<Array<AppliedMigration & { recovering: boolean }>>(
        (sql) => sql`select pg_is_in_recovery() as recovering, ${appliedColumns(sql)} from schema_migrations m`
      ).pipe(
        Effect.map((rows) => {
          if (rows.some(({ recovering }) => recovering)) return standby
          const problem = schemaProblem(compareSchema(ours, rows))
          return problem === null ? null : ({ check: "schema", ...problem } satisfies NotReady)
        })
      )
      // A small write fits into pages and log files that exist, also on a full disk. A result that is larger than
      // work_mem is written to a new temporary file, which needs space.
      const write = transaction(
        Effect.gen(function* () {
          yield* query((sql) => sql`select set_config('work_mem', '64kB', true)`)
          yield* query<Array<{ bytes: number | null }>>(
            (sql) => sql`
            with spilled as materialized (select repeat(md5(n::text), 8) as text from generate_series(1, 4096) n)
            select max(length(text)) as bytes from spilled`
          )
          yield* query(
            (sql) => sql`insert into write_probe default values on conflict (id) do update set written_at = now()`
          )
        })
      ).pipe(
        Effect.as(null),
        Effect.catchTag("DatabaseError", (error) =>
          Effect.succeed(error.reason === "unreachable" && error.sqlState !== READ_ONLY ? away : unwritable(error))
        )
      )

      let kept: { readonly result: NotReady | null; readonly until: number } | null = null
      let writing: Fiber.Fiber<NotReady | null> | null = null
      const writeAndKeep = Effect.gen(function* () {
        const result = yield* write
        kept = { result, until: (yield* Clock.currentTimeMillis) + KEPT_MS }
        return result
      }).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            writing = null
          })
        )
      )
      const writable = Effect.flatMap(Clock.currentTimeMillis, (now) =>
        kept !== null && now < kept.until ? Effect.succeed(kept.result) : Fiber.join((writing ??= run(writeAndKeep)))
      )
      const check = Effect.orElseSucceed(schema, () => away).pipe(
        Effect.flatMap((problem) => (problem === null ? writable : Effect.succeed(problem))),
        Effect.timeoutOrElse({ duration: WAIT, orElse: () => Effect.succeed(away) })
      )
      return Readiness.of({ check })
    })
  )
}
