import * as Effect from "effect/Effect"
import { openArchive } from "./Archive.ts"
import { Assets, type AssetSource, NO_ASSETS } from "./Assets.ts"
import type { Bundle } from "./Bundle.ts"
import { MAX_PIXELS } from "./checkImage.ts"
import { type Format, formatOf } from "./formats.ts"
import { ImportRefused, tooLarge, unreadable, unsupported } from "./ImportRefused.ts"
import { mapBundle } from "./mapBundle.ts"
import { mapCard } from "./mapCard.ts"
import { mapEliza } from "./mapEliza.ts"
import { mapLorebook } from "./mapLorebook.ts"
import { embeddedAt, isPng, pngTexts } from "./pngTexts.ts"
import { type Fields, isRecord, readJson, storable } from "./readJson.ts"
import { Report, type ReportData } from "./Report.ts"
import { stayInUnit } from "#src/units/currentUnit.ts"

/** Limit for the file, and for the JSON in it. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024
/** Limit for the unpacked size of everything embedded in a picture. Repeated reads count again. */
const MAX_EMBEDDED_BYTES = 64 * 1024 * 1024
/** Limit for the JSON of unused fields, in characters. */
const MAX_EXTRA = 256 * 1024

export interface ImportFile {
  readonly format: Format | "auto"
  readonly content: { readonly json: unknown } | { readonly bytes: Buffer }
  readonly filename: string
  /** Import into an existing character. */
  readonly forPresent: boolean
}

export interface ReadImport {
  readonly format: Format
  readonly bundle: Bundle
  readonly report: ReportData
  /** The images of the bundle's assets, by SHA-256. */
  readonly images: ReadonlyMap<string, Buffer>
}

/** An opened file: its JSON and the files that this refers to. */
interface Opened {
  readonly json: unknown
  readonly source: AssetSource
  readonly format?: Format
}

/** Number of pixels according to a PNG's first chunk. */
const pixelsOf = (png: Buffer): number =>
  png.length >= 24 && png.toString("latin1", 12, 16) === "IHDR" ? png.readUInt32BE(16) * png.readUInt32BE(20) : 0

const fromPng = (bytes: Buffer, report: Report): Opened => {
  if (pixelsOf(bytes) > MAX_PIXELS) throw tooLarge(`The picture has more than ${MAX_PIXELS / 1_000_000} megapixels.`)
  const texts = pngTexts(bytes)
  const decoded = (keyword: string): unknown => {
    const text = texts.get(keyword)?.()
    if (text === undefined) return undefined
    return readJson(
      text.trimStart().startsWith("{") ? Buffer.from(text, "latin1") : Buffer.from(text, "base64"),
      `The text ${keyword} of the PNG`
    )
  }
  let unpacked = 0
  const source: AssetSource = {
    main: bytes,
    read: async (path, mostBytes) => {
      const text = texts.get(embeddedAt(path))?.()
      if (text === undefined) return undefined
      unpacked += text.length
      if (unpacked > MAX_EMBEDDED_BYTES)
        throw tooLarge(`The PNG unpacks to more than ${MAX_EMBEDDED_BYTES / 1024 / 1024} MiB.`)
      const content = Buffer.from(text, "base64")
      return content.length > mostBytes ? undefined : content
    }
  }
  let broken: ImportRefused | undefined
  for (const keyword of ["ccv3", "chara"]) {
    try {
      const json = decoded(keyword)
      if (json === undefined) continue
      if (broken !== undefined)
        report.warn(
          "text_unreadable",
          "png.ccv3",
          "The newer of the two cards in the picture cannot be read. The older one was used."
        )
      return { json, source }
    } catch (cause) {
      if (!(cause instanceof ImportRefused)) throw cause
      broken = cause
    }
  }
  throw broken ?? unreadable("The PNG does not contain a character.")
}

const fromZip = async (bytes: Buffer): Promise<Opened> => {
  const archive = await openArchive(bytes)
  const source: AssetSource = { main: null, read: archive.read }
  for (const [name, format] of [
    ["card.json", "charx"],
    ["bundle.json", "bundle"]
  ] as const) {
    if (!archive.has(name)) continue
    const json = await archive.read(name, MAX_FILE_BYTES)
    if (json === undefined) throw tooLarge(`${name} of the archive is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB.`)
    return { json: readJson(json, `${name} of the archive`), source, format }
  }
  throw unsupported("The archive contains neither card.json nor bundle.json.")
}

/** Detects the type by the first bytes, regardless of the file name. */
const open = async (bytes: Buffer, report: Report): Promise<Opened> => {
  if (bytes.length > MAX_FILE_BYTES) throw tooLarge(`The file is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB.`)
  if (bytes.length === 0) throw unreadable("The file is empty.")
  if (isPng(bytes)) return fromPng(bytes, report)
  if (
    bytes.subarray(0, 4).equals(Buffer.from("PK\x03\x04", "latin1")) ||
    bytes.subarray(0, 4).equals(Buffer.from("PK\x05\x06", "latin1"))
  )
    return fromZip(bytes)
  if (bytes[0] === 0xff && bytes[1] === 0xd8) throw unsupported("A JPEG cannot contain a character.")
  return { json: readJson(bytes, "The file"), source: NO_ASSETS }
}

/** Fields that are only kept for exports, up to the size limit. Beyond it, only the creator is kept. */
const boundExtra = (bundle: Bundle, report: Report): Bundle => {
  if (JSON.stringify(bundle.extra).length <= MAX_EXTRA) return bundle
  report.warn(
    "extra_dropped",
    "extra",
    `The unused content of the file takes more than ${MAX_EXTRA / 1024} KiB, and was omitted.`
  )
  const { card } = bundle.extra
  return { ...bundle, extra: card !== undefined && JSON.stringify(card).length <= MAX_EXTRA ? { card } : {} }
}

const ofCharx = (json: Fields): Fields => {
  if (formatOf(json) !== "chara_card_v3" && formatOf(json) !== "chara_card_v2")
    throw unsupported("card.json of the archive is not a character card.")
  return json
}

const read = async ({ format, content, filename, forPresent }: ImportFile): Promise<ReadImport> => {
  const report = new Report()
  const within = stayInUnit()
  const opened =
    "json" in content ? { json: storable(content.json), source: NO_ASSETS } : await open(content.bytes, report)
  const { json, source } = opened
  if (!isRecord(json)) throw unsupported("The JSON is not an object.")
  const found = "format" in opened ? opened.format : formatOf(json)
  if (found === undefined) throw unsupported("The JSON is in none of the known formats. See format.")
  if (format !== "auto" && format !== found) throw unsupported(`The format is ${found}, but ${format} was requested.`)
  const assets = new Assets(report, source)
  const bundle = boundExtra(await within(() => mapAs(found)), report)
  return { format: found, bundle, report: report.data, images: assets.images }

  async function mapAs(kind: Format): Promise<Bundle> {
    switch (kind) {
      case "bundle":
        return mapBundle(json as Fields, assets, source, report)
      case "charx":
        return mapCard(ofCharx(json as Fields), assets, report)
      case "chara_card_v1":
      case "chara_card_v2":
      case "chara_card_v3":
        return mapCard(json as Fields, assets, report)
      case "lorebook":
        return mapLorebook(json as Fields, filename, forPresent, report)
      case "eliza":
        return mapEliza(json as Fields, report)
    }
  }
}

/** Converts a file of any known format to a bundle, with a report. */
export const readImport = (file: ImportFile): Effect.Effect<ReadImport, ImportRefused> =>
  Effect.promise(() =>
    read(file).catch((cause: unknown) => {
      if (cause instanceof ImportRefused) return cause
      throw cause
    })
  ).pipe(Effect.flatMap((result) => (result instanceof ImportRefused ? Effect.fail(result) : Effect.succeed(result))))
