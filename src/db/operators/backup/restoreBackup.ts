import { applyInTransaction } from "#src/db/postgres/applyMigrations.ts"
import { migrateGraphileWorker } from "#src/db/postgres/migrate.ts"
import { type Migration, readMigrations } from "#src/db/postgres/migrationFiles.ts"
import type { Pool, Sql } from "#src/db/postgres/postgres.ts"
import { BackupRefused } from "./BackupRefused.ts"
import { JOBS, type Manifest } from "./backupFile.ts"
import { afterRestore, type Restored } from "./afterRestore.ts"
import { copyInto } from "./copyInto.ts"
import { copyMeter, type OnProgress } from "./copyMeter.ts"
import type { ErasureMark } from "./erasureFile.ts"
import { addJobs, makeJobsTable } from "./listTables.ts"
import { type Backup, checkTable } from "./readBackup.ts"
import { type Limits, type Watch, whileItMoves } from "./whileItMoves.ts"
import { prepareCopy } from "./writeBackup.ts"

const refuse = (message: string) => new BackupRefused({ message })

const requireEmpty = async (sql: Sql) => {
  const [found] = await sql<Array<{ name: string }>>`
    select relname::text as name from pg_class where relnamespace = current_schema()::regnamespace
      and relkind in ('r', 'p', 'v', 'm', 'S', 'f') order by relkind = 'r' desc, relname limit 1`
  if (found !== undefined)
    throw refuse(
      `the database is not empty: it has ${found.name}. Restore into a new one (createdb NAME, or another DATA_DIR)`
    )
}

/** In a database without rows, an index needs no concurrent build. */
const inTransaction = (migration: Migration): Migration => ({
  ...migration,
  isTransactional: true,
  text: migration.text.replace(/\bconcurrently\b/gi, "")
})

/** This version's migrations, and those of them that the backup has. */
const schemaOf = ({ migrations, troupe_version }: Manifest) => {
  const ours = readMigrations().map(inTransaction)
  const known = new Set(ours.map(({ name }) => name))
  const unknown = migrations.filter((name) => !known.has(name))
  if (unknown.length > 0)
    throw refuse(
      `the backup has a schema that this version does not know (${unknown.join(", ")}): restore it with Troupe ` +
        `${troupe_version} or newer`
    )
  const theirs = new Set(migrations)
  return { ours, theirs: ours.filter(({ name }) => theirs.has(name)) }
}

/** Removes what would act on rows as they are loaded. Returns the statements that put it back. */
const removeChecks = async (sql: Sql): Promise<ReadonlyArray<string>> => {
  const foreign = await sql<Array<{ remove: string; restore: string }>>`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as remove,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as restore
    from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`
  const triggers = await sql<Array<{ remove: string; restore: string }>>`
    select distinct format('alter table %s disable trigger user', tgrelid::regclass) as remove,
      format('alter table %s enable trigger user', tgrelid::regclass) as restore
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace`
  const removed = [...foreign, ...triggers]
  for (const { remove } of removed) await sql.unsafe(remove)
  return removed.map(({ restore }) => restore)
}

/** Migrations fill some tables, whose rows are those of the backup now. */
const emptyTables = async (sql: Sql) => {
  const [tables] = await sql<Array<{ statement: string | null }>>`
    select 'truncate ' || string_agg(format('%I', relname), ', ') as statement from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname <> 'schema_migrations'`
  if (tables !== undefined && tables.statement !== null) await sql.unsafe(tables.statement)
}

const copyStatement = async (sql: Sql, name: string, columns: ReadonlyArray<string>) => {
  if (name === JOBS) return "copy restored_jobs from stdin"
  const [table] = await sql<Array<{ statement: string }>>`
    select format('copy %I (%s) from stdin', c.relname,
      (select string_agg(format('%I', x), ', ')
        from json_array_elements_text(${JSON.stringify(columns)}::text::json) x)) as statement
    from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname = ${name}`
  if (table === undefined) throw refuse(`the backup has a table ${name} that its schema does not have`)
  return table.statement
}

const loadTables = async (
  sql: Sql,
  { manifest, read }: Backup,
  onProgress: OnProgress,
  watch: Watch,
  signal: AbortSignal
) => {
  let bytesBefore = 0
  for (const [done, table] of manifest.tables.entries()) {
    const meter = copyMeter(watch, (rows, bytes) =>
      onProgress({ table: table.name, done, tables: manifest.tables.length, rows, bytes: bytesBefore + bytes })
    )
    const statement = await copyStatement(sql, table.name, table.columns)
    await copyInto(sql, statement, meter.measure(await read(table.entry)), signal)
    checkTable(table, meter.result())
    watch.begin()
    bytesBefore += table.bytes
  }
}

const continueSequences = async (sql: Sql, { sequences }: Manifest) => {
  for (const { name, last_value } of sequences)
    if (last_value !== null) await sql`select setval(to_regclass(quote_ident(${name})), ${last_value}::text::bigint)`
}

/** The hold that keeps a restored server from delivering what another one may have delivered already. */
const holdDeliveries = async (sql: Sql, { made_at }: Manifest) => {
  const reason = `restored from the backup of ${made_at}`
  await sql`
    insert into telegram_holds (scope, kind, reason) values ('*', 'delivery', ${reason})
    on conflict (scope, kind) do update set released_at = null, since = now(), reason = excluded.reason`
}

/** The feed continues in another epoch, even if this is the database that the backup was made of. */
const endFeedEpoch = (sql: Sql) => sql`update feed_epochs set identity = ''`

/**
 * Restores a backup into an empty database, all in one transaction: what is killed leaves nothing. The schema is made
 * as it was, filled, and brought up to this version. `check` runs before the commit, and may refuse. The access of
 * operators is ended, and these erasures since the backup are repeated.
 */
export const restoreBackup = async (
  pool: Pool,
  url: string,
  backup: Backup,
  onProgress: OnProgress,
  check: (sql: Sql) => Promise<void>,
  limits: Limits,
  erasures: ReadonlyArray<ErasureMark> = []
): Promise<Restored> => {
  const { ours, theirs } = schemaOf(backup.manifest)
  return whileItMoves(limits, async (watch, signal) => {
    watch.begin()
    await requireEmpty(pool)
    await migrateGraphileWorker(url)
    const restored = await pool.begin(async (sql) => {
      await sql.unsafe(prepareCopy)
      await requireEmpty(sql)
      await applyInTransaction(sql, theirs, () => Promise.resolve(), watch.passed)
      const restoreChecks = await removeChecks(sql)
      await emptyTables(sql)
      await sql.unsafe(makeJobsTable)
      await loadTables(sql, backup, onProgress, watch, signal)
      await continueSequences(sql, backup.manifest)
      // With many rows, one of these statements alone may take longer than the limit.
      watch.end()
      await sql.unsafe(addJobs)
      for (const statement of restoreChecks) await sql.unsafe(statement)
      await applyInTransaction(sql, ours, () => Promise.resolve())
      await holdDeliveries(sql, backup.manifest)
      await endFeedEpoch(sql)
      await check(sql)
      return afterRestore(sql, backup.manifest, erasures)
    })
    // The planner knows nothing about tables that were just filled. Reading samples of large ones takes minutes.
    await pool.begin(async (sql) => {
      await sql.unsafe(prepareCopy)
      await sql`analyze`
    })
    return restored
  })
}
