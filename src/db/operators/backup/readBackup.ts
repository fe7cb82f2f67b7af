import * as Schema from "effect/Schema"
import { type Entry, openPromise, type ZipFile } from "yauzl"
import { BackupRefused } from "./BackupRefused.ts"
import { checkSeal, Manifest, MANIFEST } from "./backupFile.ts"
import { copyMeter, type Measured, type OnProgress } from "./copyMeter.ts"
import { type Limits, whileItMoves } from "./whileItMoves.ts"

/** The manifest lists a few hundred tables at most. */
const MAX_MANIFEST_BYTES = 8 * 1024 * 1024

const decodeManifest = Schema.decodeUnknownSync(Schema.fromJsonString(Manifest))

const damaged = (path: string, what: string) =>
  new BackupRefused({ message: `${path} is not a usable backup: ${what}` })

export interface Backup {
  readonly manifest: Manifest
  /** The rows of a table, in the text format of COPY. */
  readonly read: (entry: string) => Promise<AsyncIterable<Buffer>>
  readonly close: () => void
}

const readEntry = async (zip: ZipFile, entry: Entry) =>
  (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>

const readManifest = async (path: string, zip: ZipFile, entry: Entry | undefined): Promise<Manifest> => {
  if (entry === undefined || entry.uncompressedSize > MAX_MANIFEST_BYTES) throw damaged(path, `it has no ${MANIFEST}`)
  const parts: Array<Buffer> = []
  for await (const part of await readEntry(zip, entry)) parts.push(part)
  try {
    return decodeManifest(Buffer.concat(parts).toString("utf8"))
  } catch {
    throw damaged(path, `its ${MANIFEST} cannot be read, or is that of a newer version`)
  }
}

/** Opens a backup whose bytes are those that were written. */
export const openBackup = (
  path: string,
  onRead: (bytes: number, of: number) => void,
  limits: Limits
): Promise<Backup> =>
  whileItMoves(limits, async (watch, signal) => {
    watch.begin()
    const onBytes = (bytes: number, of: number) => {
      watch.passed()
      onRead(bytes, of)
    }
    await checkSeal(path, onBytes, signal)
    const zip = await openPromise(path, { lazyEntries: true, autoClose: false }).catch((error: unknown) => {
      throw damaged(path, String(error))
    })
    try {
      const entries = new Map<string, Entry>()
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry)
      const manifest = await readManifest(path, zip, entries.get(MANIFEST))
      return {
        manifest,
        read: (name) => {
          const entry = entries.get(name)
          return entry === undefined ? Promise.reject(damaged(path, `${name} is missing`)) : readEntry(zip, entry)
        },
        close: () => zip.close()
      }
    } catch (error) {
      zip.close()
      throw error
    }
  })

/** Fails unless what was read of a table is what was written. */
export const checkTable = (table: Manifest["tables"][number], { rows, bytes, sha256 }: Measured): void => {
  if (rows === table.rows && bytes === table.bytes && sha256 === table.sha256) return
  throw new BackupRefused({
    message: `the rows of ${table.name} differ from what was backed up: ${rows} rows instead of ${table.rows}`
  })
}

/** Reads a whole backup and compares it with its checksums. Needs no database. */
export const verifyBackup = async (
  path: string,
  onRead: (bytes: number, of: number) => void,
  onProgress: OnProgress,
  limits: Limits
): Promise<Manifest> => {
  const { manifest, read, close } = await openBackup(path, onRead, limits)
  try {
    return await whileItMoves(limits, async (watch, signal) => {
      let bytesBefore = 0
      for (const [done, table] of manifest.tables.entries()) {
        const meter = copyMeter(watch, (rows, bytes) =>
          onProgress({ table: table.name, done, tables: manifest.tables.length, rows, bytes: bytesBefore + bytes })
        )
        for await (const _ of meter.measure(await read(table.entry))) signal.throwIfAborted()
        checkTable(table, meter.result())
        bytesBefore += table.bytes
      }
      return manifest
    })
  } finally {
    close()
  }
}
