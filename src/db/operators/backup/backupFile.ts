import { createHash } from "node:crypto"
import { Transform } from "node:stream"
import * as Schema from "effect/Schema"
import { BackupRefused } from "./BackupRefused.ts"
import { openRegular } from "./openRegular.ts"

/**
 * A backup is a ZIP: one entry for each table in the text format of COPY, and `manifest.json` as its last one. The
 * comment of the ZIP, which is the end of the file, is the SHA-256 of everything before it. So a change of any byte is
 * found, and a file that was cut off is no ZIP.
 */
export const FORMAT = 1
export const MANIFEST = "manifest.json"
const TRAILER_LABEL = "sha256:"
const TRAILER_BYTES = TRAILER_LABEL.length + 64
/** The comment of the ZIP until the file is complete. */
export const TRAILER_PLACEHOLDER = TRAILER_LABEL.padEnd(TRAILER_BYTES, "0")

/** The background jobs, which are added through the functions of graphile-worker and not into its private tables. */
export const JOBS = "graphile_worker.jobs"

const Table = Schema.Struct({
  name: Schema.String,
  entry: Schema.String,
  columns: Schema.Array(Schema.String),
  rows: Schema.Int,
  bytes: Schema.Int,
  sha256: Schema.String
})
export type BackedUpTable = typeof Table.Type

export const Manifest = Schema.Struct({
  format: Schema.Literal(FORMAT),
  made_at: Schema.String,
  troupe_version: Schema.String,
  postgres_version: Schema.String,
  /** The schema: the migrations that were applied. */
  migrations: Schema.Array(Schema.String),
  tables: Schema.Array(Table),
  sequences: Schema.Array(Schema.Struct({ name: Schema.String, last_value: Schema.NullOr(Schema.String) }))
})
export type Manifest = typeof Manifest.Type

/** Puts the digest of the file in the place of the placeholder at its end. */
export const seal = (): Transform => {
  const hash = createHash("sha256")
  let held = Buffer.alloc(0)
  return new Transform({
    transform(chunk: Buffer, _, done) {
      held = Buffer.concat([held, chunk])
      const whole = held.subarray(0, Math.max(0, held.length - TRAILER_BYTES))
      held = held.subarray(whole.length)
      hash.update(whole)
      done(null, whole)
    },
    flush(done) {
      done(null, `${TRAILER_LABEL}${hash.digest("hex")}`)
    }
  })
}

/** Fails unless the digest at the end of the file is that of the rest. */
export const checkSeal = async (path: string, onRead: (bytes: number, of: number) => void, signal: AbortSignal) => {
  const file = await openRegular(path, "backup")
  try {
    const { size } = await file.stat()
    const trailer = Buffer.alloc(TRAILER_BYTES)
    if (size > TRAILER_BYTES) await file.read(trailer, 0, TRAILER_BYTES, size - TRAILER_BYTES)
    if (!trailer.toString("latin1").startsWith(TRAILER_LABEL))
      throw new BackupRefused({
        message: `${path} is not a complete backup: it was cut off, or is another kind of file`
      })
    const hash = createHash("sha256")
    let read = 0
    for await (const chunk of file.createReadStream({
      start: 0,
      end: size - TRAILER_BYTES - 1,
      autoClose: false,
      signal
    })) {
      hash.update(chunk as Buffer)
      read += (chunk as Buffer).length
      onRead(read, size)
    }
    if (`${TRAILER_LABEL}${hash.digest("hex")}` !== trailer.toString("latin1"))
      throw new BackupRefused({ message: `${path} has changed since it was made: its checksum does not match` })
  } finally {
    await file.close()
  }
}
