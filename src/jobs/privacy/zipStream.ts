import { Readable } from "node:stream"
import { finished } from "node:stream/promises"
import { ZipFile } from "yazl"

export interface ZipEntry {
  readonly path: string
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  /** Whether the content is already compressed, as a picture is. */
  readonly isCompressed?: boolean
}

/** Adds entries one after another. The next one is requested when the previous one has been read. */
const fill = async (zip: ZipFile, entries: AsyncIterable<ZipEntry>, mtime: Date, signal: AbortSignal) => {
  for await (const { path, content, isCompressed = false } of entries) {
    const input = Readable.from(content, { objectMode: false })
    try {
      zip.addReadStream(input, path, { mtime, compress: !isCompressed })
      await finished(input, { signal })
    } finally {
      input.destroy()
    }
  }
  zip.end()
}

/**
 * A ZIP of entries, in parts of about this size. It is made as fast as the parts are consumed, so memory holds only one
 * part and a piece of an entry.
 */
export async function* zipParts(
  entries: AsyncIterable<ZipEntry>,
  mtime: Date,
  partBytes: number
): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  const over = new AbortController()
  // `fill` handles the errors of entries. Without a listener, the event would end the process.
  zip.on("error", () => {})
  const filling = fill(zip, entries, mtime, over.signal).catch((error: unknown) => {
    output.destroy(error instanceof Error ? error : new Error("a ZIP could not be made", { cause: error }))
  })
  try {
    let pieces: Array<Uint8Array> = []
    let bytes = 0
    for await (const piece of output as AsyncIterable<Uint8Array>) {
      pieces.push(piece)
      bytes += piece.length
      if (bytes >= partBytes) {
        yield Buffer.concat(pieces)
        pieces = []
        bytes = 0
      }
    }
    if (bytes > 0) yield Buffer.concat(pieces)
  } finally {
    over.abort()
    output.destroy()
    await filling
  }
}
