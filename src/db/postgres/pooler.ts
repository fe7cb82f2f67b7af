import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Database, type DatabaseError, toDatabaseError } from "./Database.ts"
import { type Pool, SESSION_SETTINGS, type Sql, withAnswerTimeout } from "./postgres.ts"
import { whileStarting } from "./retry.ts"

/** Something about the pooler in front of the database with which Troupe does not work. */
export class PoolerMismatch extends Schema.TaggedError<PoolerMismatch>()("PoolerMismatch", {
  problem: Schema.String,
  fix: Schema.String
}) {
  override get message() {
    return `${this.problem} ${this.fix}`
  }
}

/** How long the server itself may take to say which database it leads to. */
const DIRECT_WITHIN = "2 seconds"

/** SQLSTATE of a missing privilege. */
const FORBIDDEN = "42501"

const askBy = <A>(pool: Pool, ask: (sql: Sql) => PromiseLike<A>) =>
  Effect.tryPromise({ try: () => withAnswerTimeout(ask(pool)), catch: toDatabaseError })

/** The same on all servers that replicate each other. */
const identityOf = (sql: Sql) => sql<Array<{ identity: string | null }>>`
  select s.system_identifier || ' ' || d.oid as identity from pg_control_system() s
  join pg_database d on d.datname = current_database()`

/** Whether both addresses lead to the same database. False as well where the role may not see the identifier. */
const leadElsewhere = Effect.gen(function* () {
  const { pool, sessions } = yield* Database
  const found = yield* Effect.all([askBy(pool, identityOf), askBy(sessions, identityOf)], { concurrency: 2 })
  const [through, direct] = found.map(([row]) => row?.identity)
  return through !== direct
}).pipe(
  Effect.catchIf(
    ({ sqlState }) => sqlState === FORBIDDEN,
    () => Effect.succeed(false)
  )
)

/** Where the address of the server itself leads. */
export type DirectAddress = "same" | "different" | "unreachable"

/** Where `DATABASE_DIRECT_URL` leads, compared to `DATABASE_URL`. Null: there is no pooler. */
export const compareAddresses = Effect.gen(function* () {
  const { isPooled } = yield* Database
  if (!isPooled) return null
  return yield* leadElsewhere.pipe(
    Effect.timeout(DIRECT_WITHIN),
    Effect.map((elsewhere): DirectAddress => (elsewhere ? "different" : "same")),
    Effect.orElseSucceed((): DirectAddress => "unreachable")
  )
})

/** The statements that give the role the settings which it lacks. */
const missingSettings = Effect.gen(function* () {
  const { query } = yield* Database
  const rows = yield* query<Array<{ statement: string }>>(
    (sql) => sql`
    select format('alter role %I in database %I set %s = %L', session_user, current_database(), w.key, w.value)
      as statement
    from json_each_text(${JSON.stringify(SESSION_SETTINGS)}::text::json) w
    join pg_settings s on s.name = w.key where s.setting <> w.value`
  )
  return rows.map(({ statement }) => statement)
})

/** What is wrong with the pooler and the address of the server itself. Null: nothing, or there is no pooler. */
export const findPoolerMismatch = Effect.gen(function* () {
  const { isPooled } = yield* Database
  if (!isPooled) return null
  if (yield* leadElsewhere)
    return new PoolerMismatch({
      problem: "DATABASE_URL and DATABASE_DIRECT_URL lead to different databases.",
      fix: "Set DATABASE_DIRECT_URL to the server behind the pooler, with the same database."
    })
  const statements = yield* missingSettings
  if (statements.length === 0) return null
  return new PoolerMismatch({
    problem: "Connections through the pooler lack parameters that must be set on the role.",
    fix: `Run: ${statements.map((statement) => `${statement};`).join(" ")} Then run RECONNECT in the pooler's console.`
  })
})

/** Fails if Troupe does not work through the pooler. Changes nothing. */
export const requirePooler = Effect.flatMap(whileStarting(findPoolerMismatch), (mismatch) =>
  mismatch === null ? Effect.void : Effect.fail(mismatch)
)

/**
 * Whether the address for sessions leads to a pooler: another process of the server answers than the one that it named.
 * Everything works if that pooler is in session mode, which cannot be seen from here.
 */
export const isSessionPooled: Effect.Effect<boolean, DatabaseError, Database> = Effect.gen(function* () {
  const { sessions } = yield* Database
  const rows = yield* askBy(sessions, (sql) => sql<Array<{ pid: number }>>`select pg_backend_pid() as pid`)
  return rows[0]?.pid !== rows.state.pid
})

/** Logs at the start if a pooler may break what needs a session. */
export const warnOfPooler = Effect.gen(function* () {
  const { isPooled } = yield* Database
  if (yield* isSessionPooled)
    yield* Effect.logWarning("a pooler is in front of the database", {
      setting: isPooled ? "DATABASE_DIRECT_URL" : "DATABASE_URL",
      fix: "set DATABASE_DIRECT_URL to the server itself, unless the pooler is in session mode"
    })
}).pipe(whileStarting)
