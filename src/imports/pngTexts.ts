import { inflateSync } from "node:zlib"
import { tooLarge, unreadable } from "./ImportRefused.ts"

const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1")
/** Maximum size of one unpacked text. */
const MAX_BYTES = 10 * 1024 * 1024
/** Maximum length of a keyword. The standard allows 79, but paths of assets are longer. */
const LONGEST_KEYWORD = 200
const MAX_CHUNKS = 50_000
const EMBEDDED = "chara-ext-asset_"
/** The keywords of cards, and of a lorebook of NovelAI. */
const CARDS: ReadonlySet<string> = new Set(["ccv3", "chara", "naidata"])
const TEXTS: ReadonlySet<string> = new Set(["tEXt", "zTXt", "iTXt"])

export const isPng = (bytes: Uint8Array): boolean => bytes.length >= 8 && SIGNATURE.equals(bytes.subarray(0, 8))

const inflated = (bytes: Uint8Array): Buffer => {
  try {
    return inflateSync(bytes, { maxOutputLength: MAX_BYTES })
  } catch {
    throw unreadable("A compressed text chunk of the PNG cannot be decompressed, or is too large.")
  }
}

/** The text after the keyword and its null byte, as its bytes. */
const textIn = (type: string, rest: Buffer): Buffer => {
  if (type === "tEXt") return rest
  if (type === "zTXt") return inflated(rest.subarray(1))
  const isCompressed = rest[0] === 1
  const language = rest.indexOf(0, 2)
  const keyword = language === -1 ? -1 : rest.indexOf(0, language + 1)
  if (keyword === -1) return Buffer.alloc(0)
  const text = rest.subarray(keyword + 1)
  return isCompressed ? inflated(text) : text
}

interface Chunk {
  readonly type: string
  readonly data: Buffer
  /** Includes its length, type and checksum. */
  readonly whole: Buffer
}

/**
 * Checksums are not verified. A length beyond the end of the file ends the iteration, and so does anything but a text
 * after the end of the picture.
 */
function* chunksOf(bytes: Uint8Array): Generator<Chunk> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let isOver = false
  for (let at = SIGNATURE.length, count = 0; at + 8 <= file.length; count++) {
    if (count === MAX_CHUNKS) throw tooLarge(`The PNG has more than ${MAX_CHUNKS} chunks.`)
    const length = file.readUInt32BE(at)
    const data = file.subarray(at + 8, at + 8 + length)
    if (data.length < length) return
    const type = file.toString("latin1", at + 4, at + 8)
    if (isOver && !TEXTS.has(type)) return
    yield { type, data, whole: file.subarray(at, at + 12 + length) }
    isOver ||= type === "IEND"
    at += 12 + length
  }
}

const OF_THE_PICTURE: ReadonlySet<string> = new Set(["IHDR", "PLTE", "tRNS", "IDAT", "IEND"])

/** The picture of a PNG without its texts. A library that only needs the size would otherwise unpack them. */
export const pictureOf = (png: Uint8Array): Buffer =>
  Buffer.concat([
    SIGNATURE,
    ...[...chunksOf(png)].filter(({ type }) => OF_THE_PICTURE.has(type)).map(({ whole }) => whole)
  ])

/**
 * The texts of a PNG that contain a character: the first of each keyword. Keywords are in lower case, except for paths
 * of assets. Nothing else in the file is unpacked.
 */
export const pngTexts = (bytes: Uint8Array): ReadonlyMap<string, () => Buffer> => {
  const found = new Map<string, () => Buffer>()
  for (const { type, data } of chunksOf(bytes)) {
    if (!TEXTS.has(type)) continue
    const end = data.subarray(0, LONGEST_KEYWORD + 1).indexOf(0)
    const keyword = end === -1 ? "" : data.toString("latin1", 0, end)
    const name = embeddedIn(keyword) === undefined ? keyword.toLowerCase() : embeddedAt(embeddedIn(keyword) ?? "")
    if ((CARDS.has(name) || name.startsWith(EMBEDDED)) && !found.has(name))
      found.set(name, () => textIn(type, data.subarray(end + 1)))
  }
  return found
}

/** Other texts of a PNG, which are not compressed, and its EXIF. */
export function* metadataIn(png: Buffer): Generator<Buffer> {
  for (const { type, data } of chunksOf(png)) {
    const keyword = data.toString("latin1", 0, Math.max(0, data.subarray(0, LONGEST_KEYWORD).indexOf(0)))
    const isText = (type === "tEXt" || type === "iTXt") && !CARDS.has(keyword.toLowerCase())
    if (type === "eXIf" || (isText && embeddedIn(keyword) === undefined)) yield data
  }
}

/** The keyword of the file that is embedded in a PNG under this path. */
export const embeddedAt = (path: string): string => `${EMBEDDED}:${path}`

/** The path in such a keyword. Older cards have no colon in it. */
export const embeddedIn = (keyword: string): string | undefined =>
  keyword.startsWith(EMBEDDED) ? keyword.slice(EMBEDDED.length).replace(/^:/, "") : undefined
