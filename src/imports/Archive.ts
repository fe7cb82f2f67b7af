import { type Entry, fromBufferPromise, type ZipFile } from "yauzl"
import { ImportRefused, tooLarge, unreadable } from "./ImportRefused.ts"

/** Maximum number of entries to list. Only those that a card refers to are unpacked. */
const MAX_ENTRIES = 10_000
const MAX_BYTES = 64 * 1024 * 1024
/** Maximum ratio of an entry's unpacked size to its size in the archive. */
const MAX_RATIO = 100

const MIB = 1024 * 1024

/** A ZIP whose entries are read one at a time, on demand. */
export interface Archive {
  /** The paths of its files. */
  readonly files: ReadonlyArray<string>
  /** Where its first entry starts. What stands before is not part of the archive. */
  readonly start: number
  /** The unpacked content of an entry. Undefined: the entry does not exist or is larger than `mostBytes`. */
  readonly read: (path: string, mostBytes: number) => Promise<Buffer | undefined>
}

const END = Buffer.from("PK\x05\x06", "latin1")
const END_BYTES = 22
const MAX_COMMENT_BYTES = 0xffff
const DIRECTORY = 0x02014b50
/** Stands in the record at the end if the real value is in a record of ZIP64. */
const IN_ZIP64 = 0xffffffff

/**
 * The ZIP in a file: other content may stand before it and behind it. Its addresses count from its own start, or from
 * the start of the file. Undefined: there is none, or its directory is missing.
 */
export const zipIn = (file: Buffer): Buffer | undefined => {
  const first = Math.max(0, file.length - END_BYTES - MAX_COMMENT_BYTES)
  for (let at = file.lastIndexOf(END); at >= first; at = at === 0 ? -1 : file.lastIndexOf(END, at - 1)) {
    if (at + END_BYTES > file.length) continue
    const end = at + END_BYTES + file.readUInt16LE(at + 20)
    if (end > file.length) continue
    const size = file.readUInt32LE(at + 12)
    const offset = file.readUInt32LE(at + 16)
    if (offset === IN_ZIP64) return file.subarray(0, end)
    const start = at - size - offset
    if (start >= 0 && (size === 0 || file.readUInt32LE(at - size) === DIRECTORY)) return file.subarray(start, end)
  }
  return undefined
}

const said = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const indexOf = async (zip: ZipFile) => {
  const entries = new Map<string, Entry>()
  let declared = 0
  let start = zip.fileSize
  for await (const entry of zip.eachEntry()) {
    if (entry.isEncrypted()) throw unreadable("The archive has an encrypted entry.")
    declared += entry.uncompressedSize
    if (declared > MAX_BYTES) throw tooLarge(`The archive contains more than ${MAX_BYTES / MIB} MiB.`)
    start = Math.min(start, entry.relativeOffsetOfLocalHeader)
    if (!entry.fileName.endsWith("/") && !entries.has(entry.fileName)) entries.set(entry.fileName, entry)
  }
  return { entries, start }
}

/**
 * Opens a ZIP in memory. Refuses names that are absolute or lead upwards, and archives that are encrypted, have too
 * many entries or are too large. The unpacked size is counted while unpacking.
 */
export const openArchive = async (bytes: Buffer): Promise<Archive> => {
  let zip: ZipFile
  let index: Awaited<ReturnType<typeof indexOf>>
  try {
    zip = await fromBufferPromise(bytes, {
      lazyEntries: true,
      decodeStrings: true,
      strictFileNames: false,
      validateEntrySizes: true
    })
    if (zip.entryCount > MAX_ENTRIES)
      throw tooLarge(`The archive has ${zip.entryCount} entries. Remove files until it has at most ${MAX_ENTRIES}.`)
    index = await indexOf(zip)
  } catch (cause) {
    throw asRefusal(cause)
  }
  const { entries, start } = index
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
  return { files: [...entries.keys()], start, read }
}

const asRefusal = (cause: unknown) =>
  cause instanceof ImportRefused ? cause : unreadable(`The archive cannot be read: ${said(cause)}.`)
