import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Database, toDatabaseError } from "./Database.ts"
import { MIGRATIONS, migrationFiles } from "./migrationFiles.ts"
import { whileStarting } from "./retry.ts"

/** Held while migrating, so that processes that start together wait for the first one. */
const MIGRATION_LOCK = 7_302_118

/** Migrates the schema to the current version: our numbered, forward-only migrations, then graphile-worker's. */
export const migrate = Effect.gen(function* () {
  const { pool, url } = yield* Database
  const files = migrationFiles()
  const applied = yield* whileStarting(
    Effect.tryPromise({
      try: () =>
        pool.begin(async (sql) => {
          await sql`set local statement_timeout = 0`
          await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`
          await sql`create table if not exists schema_migrations (name text primary key,
            applied_at timestamptz not null default now())`
          const known = new Set(
            (await sql<Array<{ name: string }>>`select name from schema_migrations`).map((row) => row.name)
          )
          const missing = files.filter((name) => !known.has(name))
          for (const name of missing) {
            await sql.unsafe(readFileSync(join(MIGRATIONS, name), "utf8"))
            await sql`insert into schema_migrations (name) values (${name})`
          }
          const { runMigrations } = await import("graphile-worker")
          await runMigrations({ connectionString: Redacted.value(url), maxPoolSize: 1 })
          return missing
        }),
      catch: toDatabaseError
    })
  )
  if (applied.length > 0) yield* Effect.logInfo("migrations applied", { files: applied })
})
