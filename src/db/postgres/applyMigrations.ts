import * as Data from "effect/Data"
import type { Migration } from "./migrationFiles.ts"
import type { Pool, Sql } from "./postgres.ts"
import { type AppliedMigration, compareSchema, SchemaMismatch, schemaProblem } from "./schemaDifference.ts"

/** Held while migrating, so that processes that start together wait for the first one. */
const MIGRATION_LOCK = 7_302_118

/** Another process is migrating. */
export class OtherMigration extends Data.TaggedError("OtherMigration")<{}> {}

/** Statements of a migration may take any time, but wait for locks only briefly: others queue up behind them. */
const prepare = async (sql: Sql) => {
  await sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '2s', true),
    set_config('idle_in_transaction_session_timeout', '0', true)`
  const [lock] = await sql<
    Array<{ taken: boolean }>
  >`select pg_try_advisory_xact_lock(${MIGRATION_LOCK}::bigint) as taken`
  if (lock?.taken !== true) throw new OtherMigration()
}

/** The table of what was applied. Its lock is only needed once, so a table that exists is not altered. */
const ensureRecords = async (sql: Sql) => {
  await sql`create table if not exists schema_migrations (name text primary key,
    applied_at timestamptz not null default now(), checksum text, compatible_with int)`
  const found = await sql<Array<{ name: string }>>`select attname::text as name from pg_attribute
    where attrelid = to_regclass('schema_migrations') and attname in ('checksum', 'compatible_with')
      and not attisdropped`
  const columns = new Set(found.map(({ name }) => name))
  if (!columns.has("checksum")) await sql`alter table schema_migrations add column checksum text`
  if (!columns.has("compatible_with")) await sql`alter table schema_migrations add column compatible_with int`
}

/** What is left to apply. Fails if a file has changed since it was applied, or the schema is too new. */
const readMissing = async (sql: Sql, migrations: ReadonlyArray<Migration>) => {
  await ensureRecords(sql)
  const applied = await sql<Array<AppliedMigration>>`
    select name, checksum, compatible_with from schema_migrations`
  const { missing, unknown, changed } = compareSchema(migrations, applied)
  const last = migrations.at(-1)?.name ?? ""
  const problem = schemaProblem({ missing: [], unknown: unknown.filter((name) => name > last), changed })
  if (problem !== null) throw new SchemaMismatch({ problem: problem.message, fix: problem.fix })
  const unrecorded = new Set(applied.flatMap(({ name, checksum }) => (checksum === null ? [name] : [])))
  for (const { name, checksum } of migrations.filter((migration) => unrecorded.has(migration.name)))
    await sql`update schema_migrations set checksum = ${checksum} where name = ${name}`
  const names = new Set(missing)
  return migrations.filter(({ name }) => names.has(name))
}

const record = (sql: Sql, { name, checksum, compatibleWith }: Migration) =>
  sql`insert into schema_migrations (name, checksum, compatible_with)
    values (${name}, ${checksum}, ${compatibleWith}::int) on conflict (name) do nothing`

export interface Step {
  readonly applied: ReadonlyArray<string>
  /** The next one, which has to run outside a transaction. Null: everything is applied. */
  readonly next: Migration | null
}

/** Applies the next migrations that may run in a transaction, all in this one. */
export const applyInTransaction = async (
  sql: Sql,
  migrations: ReadonlyArray<Migration>,
  whenComplete: () => Promise<void>,
  onApplied: () => void = () => {}
): Promise<Step> => {
  await prepare(sql)
  const missing = await readMissing(sql, migrations)
  const outside = missing.findIndex(({ isTransactional }) => !isTransactional)
  const together = outside === -1 ? missing : missing.slice(0, outside)
  for (const migration of together) {
    await sql.unsafe(migration.text)
    await record(sql, migration)
    onApplied()
  }
  if (outside === -1) await whenComplete()
  return { applied: together.map(({ name }) => name), next: missing[outside] ?? null }
}

/**
 * Applies one that must run outside a transaction. If an earlier attempt was cut off, it has left an invalid index,
 * which is dropped first. Waiting for the lock would be a snapshot that a concurrent build waits for, so it is only
 * tried. `pool` has one connection.
 */
export const applyOutsideTransaction = async (pool: Pool, migration: Migration): Promise<void> => {
  await pool`select set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false)`
  const [lock] = await pool<Array<{ taken: boolean }>>`select pg_try_advisory_lock(${MIGRATION_LOCK}::bigint) as taken`
  if (lock?.taken !== true) throw new OtherMigration()
  const invalid = await pool<Array<{ statement: string }>>`
    select format('drop index concurrently if exists %I', c.relname) as statement
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where not i.indisvalid and c.relnamespace = current_schema()::regnamespace
      and position(c.relname in ${migration.text}::text) > 0`
  for (const { statement } of invalid) await pool.unsafe(statement)
  await pool.unsafe(migration.text)
  await record(pool, migration)
}
