import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type Finding, fine, skipped, warned, wrong } from "#src/health/Finding.ts"
import { asynchronousStandbys } from "#src/db/postgres/asynchronousStandbys.ts"
import { Database, type DatabaseError, START_REFUSED } from "#src/db/postgres/Database.ts"
import { findPoolerMismatch, isSessionPooled } from "#src/db/postgres/pooler.ts"
import { readMigrations } from "#src/db/postgres/migrationFiles.ts"
import { compareSchema, readApplied, schemaProblem } from "#src/db/postgres/schemaDifference.ts"
import { opensCheck } from "#src/db/postgres/Secrets.ts"
import { isStartRefused } from "#src/db/postgres/sqlState.ts"
import type { SecretsKey } from "#src/db/postgres/secretsCipher.ts"

const OLDEST = 150_000
/** Signatures of webhooks are refused when clocks differ by minutes. */
const MAX_SKEW_MS = 5_000

interface ServerRow {
  readonly version: string
  readonly version_number: number
  readonly encoding: string
  readonly recovering: boolean
  readonly asynchronous_standbys: number
  readonly may_create: boolean
  readonly now_ms: number
  readonly role: string
}

/** What this needs from a server, before there is any schema. */
const readServer = Effect.gen(function* () {
  const { query } = yield* Database
  const before = yield* Clock.currentTimeMillis
  const [row] = yield* query<Array<ServerRow>>(
    (sql) => sql`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as version_number,
      current_setting('server_encoding') as encoding, pg_is_in_recovery() as recovering,
      ${asynchronousStandbys(sql)} as asynchronous_standbys,
      coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)
        and (to_regnamespace('graphile_worker') is not null
          or has_database_privilege(current_database(), 'CREATE')) as may_create,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms, current_user::text as role`
  )
  const after = yield* Clock.currentTimeMillis
  // The database read its clock between the two.
  const skewMs = row === undefined ? 0 : Math.max(before - row.now_ms, row.now_ms - after, 0)
  return { row, skewMs }
})

const schemaFinding = (autoMigrate: boolean) =>
  Effect.map(readApplied, (applied): Finding => {
    const difference = compareSchema(readMigrations(), applied)
    const problem = schemaProblem(difference)
    if (problem === null) return fine("schema", "The schema is that of this version.")
    const isPending = difference.missing.length > 0 && difference.unknown.length + difference.changed.length === 0
    return isPending && autoMigrate
      ? fine("schema", `The next start applies ${difference.missing.length} migrations.`)
      : wrong("schema", problem.message, problem.fix)
  })

const secretsFinding = Effect.fnUntraced(function* (keys: ReadonlyArray<SecretsKey>, production: boolean) {
  const { query } = yield* Database
  const rows = yield* query<Array<{ sealed: Buffer }>>((sql) => sql`select sealed from secrets_check`).pipe(
    Effect.orElseSucceed((): Array<{ sealed: Buffer }> => [])
  )
  const [row] = rows
  if (keys.length === 0)
    return production || row !== undefined
      ? wrong(
          "secrets_key",
          "SECRETS_KEY is not set.",
          row === undefined
            ? "Set it to the output of: openssl rand -base64 32"
            : "Set it to the key that the secrets of this database are stored under."
        )
      : fine("secrets_key", "The first start creates a key in DATA_DIR.")
  if (row === undefined) return fine("secrets_key", "This key becomes that of the database at the first start.")
  return (yield* opensCheck(keys, row.sealed))
    ? fine("secrets_key", "SECRETS_KEY is that of this database.")
    : wrong(
        "secrets_key",
        "The secrets of this database are stored under another SECRETS_KEY.",
        "Set that key. In development it is in secrets.key in DATA_DIR."
      )
})

const serverFindings = (row: ServerRow, skewMs: number): ReadonlyArray<Finding> => [
  row.version_number < OLDEST
    ? wrong("version", `PostgreSQL ${row.version} is too old.`, "Use PostgreSQL 15 or newer.")
    : row.encoding === "UTF8"
      ? fine("version", `PostgreSQL ${row.version}.`)
      : wrong(
          "version",
          `The database is encoded in ${row.encoding}.`,
          "Create one with: createdb --encoding UTF8 NAME"
        ),
  row.recovering
    ? wrong("standby", "The database is a standby: nothing can be written to it.", "Point DATABASE_URL at the primary.")
    : fine("standby", "The database is a primary."),
  row.asynchronous_standbys > 0
    ? warned(
        "replication",
        `No commit waits for the standbys (${row.asynchronous_standbys}): a failover can lose acknowledged messages.`,
        "Name the standby in synchronous_standby_names, or never fail over to it."
      )
    : fine("replication", "No standby is attached that may lack acknowledged messages."),
  row.may_create
    ? fine("privileges", `The role ${row.role} may create tables.`)
    : wrong(
        "privileges",
        `The role ${row.role} may not create tables.`,
        `Run as the owner of the database: grant create on schema public to "${row.role}"; ` +
          `grant create on database NAME to "${row.role}"`
      ),
  skewMs > MAX_SKEW_MS
    ? wrong(
        "clock",
        `The clocks of this machine and of the database differ by ${Math.round(skewMs / 1000)} s.`,
        "Set both by NTP."
      )
    : fine("clock", "The clocks of this machine and of the database agree.")
]

const poolerFinding = Effect.gen(function* () {
  const { isPooled } = yield* Database
  const mismatch = yield* findPoolerMismatch
  if (mismatch !== null) return wrong("pooler", mismatch.problem, mismatch.fix)
  if (yield* isSessionPooled)
    return warned(
      "pooler",
      `${isPooled ? "DATABASE_DIRECT_URL" : "DATABASE_URL"} leads to a pooler.`,
      "Set DATABASE_DIRECT_URL to the server itself. If the pooler is in session mode, ignore this."
    )
  return fine("pooler", isPooled ? "The pooler and the server lead to the same database." : "There is no pooler.")
}).pipe(
  Effect.orElseSucceed(() =>
    wrong("pooler", "The server at DATABASE_DIRECT_URL does not answer.", "Start it, or correct the address.")
  )
)

const DEPENDENT = [
  "version",
  "standby",
  "replication",
  "privileges",
  "clock",
  "pooler",
  "schema",
  "secrets_key"
] as const

/** What is wrong with the database. Changes nothing. */
export const databaseFindings = (options: {
  readonly keys: ReadonlyArray<SecretsKey>
  readonly production: boolean
  readonly autoMigrate: boolean
}) =>
  Effect.gen(function* () {
    const { row, skewMs } = yield* readServer
    const found = row === undefined ? [] : serverFindings(row, skewMs)
    return [
      fine("database", "The database answers."),
      ...found,
      yield* poolerFinding,
      yield* schemaFinding(options.autoMigrate),
      yield* secretsFinding(options.keys, options.production)
    ]
  }).pipe(Effect.catch((error) => Effect.succeed(unreachable(error))))

/** SQLSTATE classes of a wrong password or role, and of a database that does not exist. */
const reasonOf = ({ sqlState, cause }: DatabaseError) =>
  isStartRefused(cause)
    ? START_REFUSED
    : sqlState?.startsWith("28") === true
      ? "it refuses the user or the password"
      : sqlState === "3D000"
        ? "it has no database of this name"
        : (sqlState ?? "no answer")

/** Everything else depends on it. */
export const unreachable = (error: DatabaseError | null): ReadonlyArray<Finding> => [
  wrong(
    "database",
    `The database cannot be used: ${error === null ? "no answer" : reasonOf(error)}.`,
    "Start PostgreSQL, or correct DATABASE_URL. Without DATABASE_URL, an embedded one is used."
  ),
  ...DEPENDENT.map((check) => skipped(check, "The database cannot be used."))
]
