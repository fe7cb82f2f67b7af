import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { applyInTransaction, applyOutsideTransaction, OtherMigration, type Step } from "./applyMigrations.ts"
import { Database, type DatabaseError, toDatabaseError } from "./Database.ts"
import { type Migration, readMigrations } from "./migrationFiles.ts"
import { openPool, type Pool } from "./postgres.ts"
import { primaryOf } from "./primary.ts"
import { whileStarting } from "./retry.ts"
import { SchemaMismatch } from "./schemaDifference.ts"

/** SQLSTATE of a lock that was not granted in time, and of a deadlock. */
const LOCKED = new Set(["55P03", "40P01"])

/** How often a migration that is kept from a lock is tried again: for about a minute and a half. */
const LOCK_RETRIES = 30

const isLocked = (error: Failure): error is DatabaseError =>
  error._tag === "DatabaseError" && error.sqlState !== null && LOCKED.has(error.sqlState)

const isOther = ({ _tag }: Failure) => _tag === "OtherMigration"

type Failure = DatabaseError | SchemaMismatch | OtherMigration
const attempt = <A>(work: () => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (cause): Failure =>
      cause instanceof SchemaMismatch || cause instanceof OtherMigration ? cause : toDatabaseError(cause)
  }).pipe(
    Effect.retry({ while: isOther, schedule: Schedule.spaced("200 millis") }),
    Effect.catchTag("OtherMigration", Effect.die),
    Effect.tapError((error) =>
      isLocked(error) ? Effect.logWarning("migration waits for a lock: it is tried again") : Effect.void
    ),
    Effect.retry({ while: isLocked, times: LOCK_RETRIES, schedule: Schedule.spaced("1 second") })
  )

export const migrateGraphileWorker = async (url: string) => {
  const { runMigrations } = await import("graphile-worker")
  await runMigrations({ connectionString: await primaryOf(url), maxPoolSize: 1 })
}

const applyAll = Effect.fnUntraced(function* (pool: Pool, url: string, migrations: ReadonlyArray<Migration>) {
  const applied: Array<string> = []
  for (;;) {
    const step: Step = yield* attempt(() =>
      pool.begin((sql) => applyInTransaction(sql, migrations, () => migrateGraphileWorker(url)))
    )
    applied.push(...step.applied)
    const { next } = step
    if (next === null) return applied
    yield* attempt(() => outside(url, next))
    applied.push(next.name)
  }
})

/** With a connection of its own, whose end releases the lock. */
const outside = async (url: string, migration: Migration) => {
  const pool = openPool(url, 1)
  try {
    await applyOutsideTransaction(pool, migration)
  } finally {
    await pool.end({ timeout: 3 })
  }
}

/** Migrates with these migrations. Returns the names of those that were missing. */
export const migrateWith = Effect.fnUntraced(function* (migrations: ReadonlyArray<Migration>) {
  const { sessions, directUrl } = yield* Database
  const applied = yield* applyAll(sessions, Redacted.value(directUrl), migrations).pipe(
    Effect.catchTag("SchemaMismatch", (mismatch) => Effect.succeed(mismatch)),
    whileStarting
  )
  if (applied instanceof SchemaMismatch) return yield* applied
  if (applied.length > 0) yield* Effect.logInfo("migrations applied", { files: applied })
  return applied
})

/** Migrates the schema to the current version: our numbered, forward-only migrations, then graphile-worker's. */
export const migrate = Effect.suspend(() => migrateWith(readMigrations()))
