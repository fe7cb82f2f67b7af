import { inflateSync } from "node:zlib"
import { unreadable } from "./ImportRefused.ts"

const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1")
/** Of one text, once unpacked. */
const MOST_BYTES = 10 * 1024 * 1024
/** Of a keyword, by the standard. */
const LONGEST_KEYWORD = 79
/** Embedded assets that are looked at. */
const MOST_TEXTS = 64
const EMBEDDED = "chara-ext-asset_:"

export const isPng = (bytes: Uint8Array): boolean => bytes.length >= 8 && SIGNATURE.equals(bytes.subarray(0, 8))

const inflated = (bytes: Uint8Array): Buffer => {
  try {
    return inflateSync(bytes, { maxOutputLength: MOST_BYTES })
  } catch {
    throw unreadable("A compressed text of the PNG cannot be unpacked, or is too large.")
  }
}

/** What follows the keyword and its null, by the kind of chunk: the text of tEXt and zTXt is Latin-1, that of iTXt is UTF-8. */
const textIn = (type: string, rest: Buffer): string => {
  if (type === "tEXt") return rest.toString("latin1")
  if (type === "zTXt") return inflated(rest.subarray(1)).toString("latin1")
  const isCompressed = rest[0] === 1
  const language = rest.indexOf(0, 2)
  const keyword = language === -1 ? -1 : rest.indexOf(0, language + 1)
  if (keyword === -1) return ""
  const text = rest.subarray(keyword + 1)
  return (isCompressed ? inflated(text) : text).toString("utf8")
}

/**
 * The texts of a PNG that carry a character: the first of each keyword, with the keyword in small letters but for paths of assets. A checksum is not
 * believed and not asked for; a length that leads beyond the file ends the walk. Nothing else of the file is read or unpacked.
 */
export const pngTexts = (bytes: Uint8Array): ReadonlyMap<string, () => string> => {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const found = new Map<string, () => string>()
  for (let at = SIGNATURE.length; at + 8 <= file.length && found.size < MOST_TEXTS;) {
    const length = file.readUInt32BE(at)
    const type = file.toString("latin1", at + 4, at + 8)
    const data = file.subarray(at + 8, at + 8 + length)
    if (type === "IEND" || data.length < length) break
    if (type === "tEXt" || type === "zTXt" || type === "iTXt") {
      const end = data.subarray(0, LONGEST_KEYWORD + 1 + EMBEDDED.length * 8).indexOf(0)
      const keyword = end === -1 ? "" : data.toString("latin1", 0, end)
      const name = keyword.startsWith(EMBEDDED) ? keyword : keyword.toLowerCase()
      if ((name === "ccv3" || name === "chara" || name.startsWith(EMBEDDED)) && !found.has(name)) found.set(name, () => textIn(type, data.subarray(end + 1)))
    }
    at += 12 + length
  }
  return found
}

/** The keyword of a file that is embedded in a PNG under this path. */
export const embeddedAt = (path: string): string => EMBEDDED + path
