import { formatOf } from "./formats.ts"
import { ImportRefused } from "./ImportRefused.ts"
import { metadataIn } from "./pngTexts.ts"
import { type Fields, isRecord, readJson } from "./readJson.ts"

/** Base64 of a text that begins with a brace. */
const BASE64 = /(?:ey|ew)[A-Za-z0-9+/]{40,}={0,2}/
const MAX_SEGMENTS = 10_000

/** The metadata of a JPEG: its application segments (EXIF, XMP) and comments. */
function* inJpeg(jpeg: Buffer): Generator<Buffer> {
  for (let at = 2, count = 0; at + 4 <= jpeg.length && jpeg[at] === 0xff && count < MAX_SEGMENTS; count++) {
    const marker = jpeg[at + 1] ?? 0
    const length = jpeg.readUInt16BE(at + 2)
    // The pixels follow the start of a scan.
    if (marker === 0xda || length < 2) return
    if (marker === 0xfe || (marker & 0xf0) === 0xe0) yield jpeg.subarray(at + 4, at + 2 + length)
    at += 2 + length
  }
}

function* inWebp(webp: Buffer): Generator<Buffer> {
  for (let at = 12, count = 0; at + 8 <= webp.length && count < MAX_SEGMENTS; count++) {
    const type = webp.toString("latin1", at, at + 4)
    const length = webp.readUInt32LE(at + 4)
    if (type === "EXIF" || type === "XMP ") yield webp.subarray(at + 8, at + 8 + length)
    at += 8 + length + (length & 1)
  }
}

/** The text from the first brace before a quotation mark to the brace that closes it. */
const braced = (text: string): string | undefined => {
  const from = text.search(/\{\s{0,9}"/)
  if (from === -1) return undefined
  let depth = 0
  let isQuoted = false
  for (let at = from; at < text.length; at++) {
    const sign = text[at]
    if (sign === "\\" && isQuoted) at++
    else if (sign === '"') isQuoted = !isQuoted
    else if (!isQuoted && sign === "{") depth++
    else if (!isQuoted && sign === "}" && --depth === 0) return text.slice(from, at + 1)
  }
  return undefined
}

const ENTITY = /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(quot|lt|gt|amp|apos));/gi
const NAMED: Readonly<Record<string, string>> = { quot: '"', lt: "<", gt: ">", amp: "&", apos: "'" }

/** The text without entities of XML. Each of its characters is a byte of UTF-8. */
const unescaped = (xml: string): string =>
  xml.replace(ENTITY, (entity, hex?: string, decimal?: string, name = "") => {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    if (Number.isNaN(code)) return NAMED[String(name).toLowerCase()] ?? entity
    return code > 0x10ffff ? entity : Buffer.from(String.fromCodePoint(code)).toString("latin1")
  })

/** The candidates for a card in one piece of metadata, which may be escaped for XML or in base64. */
const textsOf = (metadata: Buffer): ReadonlyArray<Buffer> => {
  const text = metadata.toString("latin1")
  const base64 = BASE64.exec(text)?.[0]
  const plain = braced(/&(?:quot|#)/.test(text) ? unescaped(text) : text)
  return [
    ...(plain === undefined ? [] : [Buffer.from(plain, "latin1")]),
    ...(base64 === undefined ? [] : [Buffer.from(base64, "base64")])
  ]
}

const READERS = { jpeg: inJpeg, webp: inWebp, png: metadataIn }

/** The card in the metadata of a picture, where some programs keep it. */
export const metadataCard = (picture: Buffer, type: keyof typeof READERS): Fields | undefined => {
  for (const metadata of READERS[type](picture)) {
    for (const text of textsOf(metadata)) {
      try {
        const json = readJson(text, "The metadata of the picture")
        if (isRecord(json) && formatOf(json) !== undefined) return json
      } catch (cause) {
        // Other metadata contains braces too.
        if (!(cause instanceof ImportRefused) || cause.reason === "too_large") throw cause
      }
    }
  }
  return undefined
}
