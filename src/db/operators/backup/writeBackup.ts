import { Readable } from "node:stream"
import { finished, pipeline } from "node:stream/promises"
import { ZipFile } from "yazl"
import { VERSION } from "#pipeline/domain/version.ts"
import type { Pool, Sql } from "#src/db/postgres/postgres.ts"
import { type BackedUpTable, FORMAT, MANIFEST, type Manifest, seal, TRAILER_PLACEHOLDER } from "./backupFile.ts"
import { copyMeter, type OnProgress } from "./copyMeter.ts"
import { listTables } from "./listTables.ts"
import { type Limits, type Watch, whileItMoves } from "./whileItMoves.ts"
import { writeNew } from "./writeNew.ts"

/** Little compression, because the processor is what limits a backup. */
const COMPRESSION = 3

const README = `A backup of Troupe. Check it with "troupe verify FILE" and restore it with "troupe restore FILE".
Each file in tables/ has the rows of one table in the text format of PostgreSQL's COPY. manifest.json lists the tables,
their columns, their numbers of rows, the SHA-256 of each, and the migrations of the schema.
The comment of this archive is the SHA-256 of everything before it. Secrets are encrypted under SECRETS_KEY.
`

/** The time, number and text formats that a restore reads, and no limit of time. */
export const prepareCopy = `select set_config('statement_timeout', '0', true),
  set_config('idle_in_transaction_session_timeout', '0', true), set_config('datestyle', 'ISO', true),
  set_config('intervalstyle', 'postgres', true), set_config('timezone', 'UTC', true),
  set_config('extra_float_digits', '1', true), set_config('bytea_output', 'hex', true)`

const addEntries = async (
  sql: Sql,
  zip: ZipFile,
  now: Date,
  onProgress: OnProgress,
  watch: Watch,
  signal: AbortSignal
) => {
  const tables = await listTables(sql)
  const copied: Array<BackedUpTable> = []
  let bytesBefore = 0
  const options = { mtime: now, compressionLevel: COMPRESSION, forceZip64Format: true }
  zip.addBuffer(Buffer.from(README), "README.txt", { mtime: now })
  for (const { name, columns, statement } of tables) {
    const entry = `tables/${name}.copy`
    const meter = copyMeter(watch, (rows, bytes) =>
      onProgress({ table: name, done: copied.length, tables: tables.length, rows, bytes: bytesBefore + bytes })
    )
    const rows: Readable = await sql.unsafe(statement).readable()
    const input = Readable.from(meter.measure(rows), { objectMode: false })
    zip.addReadStream(input, entry, options)
    await finished(input, { signal }).finally(() => input.destroy())
    const measured = meter.result()
    watch.begin()
    copied.push({ name, entry, columns, ...measured })
    bytesBefore += measured.bytes
  }
  return copied
}

const readManifest = async (sql: Sql, tables: ReadonlyArray<BackedUpTable>, now: Date): Promise<Manifest> => {
  const [server] = await sql<Array<{ version: string }>>`select current_setting('server_version') as version`
  const migrations = await sql<Array<{ name: string }>>`select name from schema_migrations order by name`
  // Sequences are no part of a snapshot. Their values are read last, so no row has a larger one.
  const sequences = await sql<Array<{ name: string; last_value: string | null }>>`
    select sequencename::text as name, last_value::text from pg_sequences where schemaname = current_schema()`
  return {
    format: FORMAT,
    made_at: now.toISOString(),
    troupe_version: VERSION,
    postgres_version: server?.version ?? "",
    migrations: migrations.map(({ name }) => name),
    tables: [...tables],
    sequences: sequences.map(({ name, last_value }) => ({ name, last_value }))
  }
}

/** Fills the ZIP from one snapshot. */
const fill = (pool: Pool, zip: ZipFile, now: Date, onProgress: OnProgress, watch: Watch, signal: AbortSignal) =>
  pool.begin(async (sql) => {
    await sql.unsafe("set transaction isolation level repeatable read, read only")
    await sql.unsafe(prepareCopy)
    const tables = await addEntries(sql, zip, now, onProgress, watch, signal)
    const manifest = await readManifest(sql, tables, now)
    zip.addBuffer(Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), MANIFEST, { mtime: now })
    zip.end({ comment: TRAILER_PLACEHOLDER, forceZip64Format: true })
    return manifest
  })

/**
 * Writes a backup to a new file, which is on the disk when it has its name. Its rows are those of one moment, while the
 * server goes on writing.
 */
export const writeBackup = (
  pool: Pool,
  path: string,
  now: Date,
  onProgress: OnProgress,
  limits: Limits
): Promise<Manifest> =>
  writeNew(path, (file) =>
    whileItMoves(limits, async (watch, signal) => {
      watch.begin()
      const zip = new ZipFile()
      const output = zip.outputStream as Readable
      zip.on("error", (error: Error) => output.destroy(error))
      const over = new AbortController()
      const either = AbortSignal.any([signal, over.signal])
      const writing = pipeline(output, seal(), file.createWriteStream({ flush: true }), { signal: either })
      const filling = fill(pool, zip, now, onProgress, watch, either).finally(watch.end)
      // Whichever fails first says why, and ends the other one.
      const [manifest] = await Promise.all([filling, writing]).finally(() => over.abort())
      return manifest
    })
  )
