import { type Entry, fromBufferPromise, type ZipFile } from "yauzl"
import { ImportRefused, tooLarge, unreadable } from "./ImportRefused.ts"

const MAX_ENTRIES = 200
const MAX_BYTES = 64 * 1024 * 1024
/** Maximum ratio of an entry's unpacked size to its size in the archive. */
const MAX_RATIO = 100

const MIB = 1024 * 1024

/** A ZIP whose entries are read one at a time, on demand. */
export interface Archive {
  readonly has: (path: string) => boolean
  /** The unpacked content of an entry. Undefined: the entry does not exist or is larger than `mostBytes`. */
  readonly read: (path: string, mostBytes: number) => Promise<Buffer | undefined>
}

const said = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const indexOf = async (zip: ZipFile): Promise<ReadonlyMap<string, Entry>> => {
  const entries = new Map<string, Entry>()
  let declared = 0
  for await (const entry of zip.eachEntry()) {
    if (entry.isEncrypted()) throw unreadable("The archive has an encrypted entry.")
    declared += entry.uncompressedSize
    if (declared > MAX_BYTES) throw tooLarge(`The archive contains more than ${MAX_BYTES / MIB} MiB.`)
    if (!entry.fileName.endsWith("/") && !entries.has(entry.fileName)) entries.set(entry.fileName, entry)
  }
  return entries
}

/**
 * Opens a ZIP in memory. Refuses names that are absolute, lead upwards or contain backslashes, and archives that are
 * encrypted, have too many entries or are too large. The unpacked size is counted while unpacking.
 */
export const openArchive = async (bytes: Buffer): Promise<Archive> => {
  let zip: ZipFile
  let entries: ReadonlyMap<string, Entry>
  try {
    zip = await fromBufferPromise(bytes, {
      lazyEntries: true,
      decodeStrings: true,
      strictFileNames: true,
      validateEntrySizes: true
    })
    if (zip.entryCount > MAX_ENTRIES) throw tooLarge(`The archive has more than ${MAX_ENTRIES} entries.`)
    entries = await indexOf(zip)
  } catch (cause) {
    throw asRefusal(cause)
  }
  let unpacked = 0

  const read = async (path: string, mostBytes: number): Promise<Buffer | undefined> => {
    const entry = entries.get(path)
    if (entry === undefined || entry.uncompressedSize > mostBytes) return undefined
    const parts: Array<Buffer> = []
    let size = 0
    try {
      const stream = await zip.openReadStreamPromise(entry)
      for await (const part of stream as AsyncIterable<Buffer>) {
        size += part.length
        unpacked += part.length
        if (unpacked > MAX_BYTES) throw tooLarge(`The archive unpacks to more than ${MAX_BYTES / MIB} MiB.`)
        if (size > MAX_RATIO * entry.compressedSize)
          throw tooLarge(`An entry of the archive unpacks to more than ${MAX_RATIO} times its size.`)
        if (size > mostBytes) return undefined
        parts.push(part)
      }
    } catch (cause) {
      throw asRefusal(cause)
    }
    return Buffer.concat(parts)
  }
  return { has: (path) => entries.has(path), read }
}

const asRefusal = (cause: unknown) =>
  cause instanceof ImportRefused ? cause : unreadable(`The archive cannot be read: ${said(cause)}.`)
