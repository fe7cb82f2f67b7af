import { isUtf8 } from "node:buffer"
import { type Archive, openArchive, zipIn } from "./Archive.ts"
import { type AssetSource, NO_ASSETS, shownName } from "./Assets.ts"
import { openBackyard } from "./backyard.ts"
import { MAX_PIXELS } from "./checkImage.ts"
import type { Format } from "./formats.ts"
import { ImportRefused, tooLarge, unreadable, unsupported } from "./ImportRefused.ts"
import { metadataCard } from "./metadataCard.ts"
import { embeddedAt, embeddedIn, isPng, pngTexts } from "./pngTexts.ts"
import { readJson } from "./readJson.ts"
import { isYaml, readYaml } from "./readYaml.ts"
import type { Report } from "./Report.ts"

const MIB = 1024 * 1024
/** Limit for the file, and for the JSON in it. */
export const MAX_FILE_BYTES = 10 * MIB
/** Limit for the unpacked size of everything embedded in a picture. Repeated reads count again. */
const MAX_EMBEDDED_BYTES = 64 * MIB
const WHAT_TO_SEND = "Export the character as a PNG, CharX or JSON file, and import that."

/** An opened file: its JSON and the files that this refers to. */
export interface Opened {
  readonly json: unknown
  readonly source: AssetSource
  readonly format?: Format
}

/** Number of pixels according to a PNG's first chunk. */
const pixelsOf = (png: Buffer): number =>
  png.length >= 24 && png.toString("latin1", 12, 16) === "IHDR" ? png.readUInt32BE(16) * png.readUInt32BE(20) : 0

/** The card in the texts of a PNG, or why there is none. */
const fromPng = (bytes: Buffer, report: Report): Opened | ImportRefused => {
  if (pixelsOf(bytes) > MAX_PIXELS)
    throw tooLarge(`The picture has more than ${MAX_PIXELS / 1_000_000} megapixels. Make it smaller.`)
  const texts = pngTexts(bytes)
  const decoded = (keyword: string): unknown => {
    const text = texts.get(keyword)?.()
    if (text === undefined) return undefined
    const isPlain = text.toString("utf8", 0, 64).trimStart().startsWith("{")
    return readJson(isPlain ? text : Buffer.from(text.toString("latin1"), "base64"), `The text ${keyword} of the PNG`)
  }
  let unpacked = 0
  const source: AssetSource = {
    main: bytes,
    files: [...texts.keys()].flatMap((keyword) => embeddedIn(keyword) ?? []),
    read: async (path, mostBytes) => {
      const text = texts.get(embeddedAt(path))?.()
      if (text === undefined) return undefined
      unpacked += text.length
      if (unpacked > MAX_EMBEDDED_BYTES) throw tooLarge(`The PNG unpacks to more than ${MAX_EMBEDDED_BYTES / MIB} MiB.`)
      const content = Buffer.from(text.toString("latin1"), "base64")
      return content.length > mostBytes ? undefined : content
    }
  }
  let broken: ImportRefused | undefined
  for (const keyword of ["ccv3", "chara", "naidata"]) {
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
  const json = metadataCard(bytes, "png")
  if (json !== undefined) return { json, source }
  return broken ?? unreadable(`The file is a PNG picture without a character in it. ${WHAT_TO_SEND}`)
}

/** The path of the file with this name that is nearest to the top of an archive. */
const nearest = ({ files }: Archive, name: string): string | undefined =>
  files
    .filter((path) => path === name || (path.endsWith(`/${name}`) && !path.startsWith("__MACOSX/")))
    .toSorted((a, b) => a.split("/").length - b.split("/").length)[0]

/** The only file of an archive, if it may be a card. Computers add hidden files. */
const onlyCard = ({ files }: Archive): string | undefined => {
  const [only, another] = files.filter((path) => !/(?:^|\/)(?:__MACOSX\/|\.|Thumbs\.db$)/.test(path))
  return another === undefined && only !== undefined && /\.(?:png|json|jpe?g|webp|ya?ml)$/i.test(only)
    ? only
    : undefined
}

const fromZip = async (zip: Buffer, file: Buffer, report: Report): Promise<Opened> => {
  const archive = await openArchive(zip)
  const before = file.subarray(0, zip.byteOffset - file.byteOffset + archive.start)
  /** The files in a folder, except for those that were read already. */
  const sourceIn = (folder: string, used: ReadonlySet<string>): AssetSource => ({
    main: pictureType(before) === undefined ? null : before,
    files: archive.files
      .filter((path) => !used.has(path) && path.startsWith(folder))
      .map((path) => path.slice(folder.length)),
    read: (asset, mostBytes) => archive.read(folder + asset, mostBytes)
  })
  for (const [name, format] of [
    ["card.json", "charx"],
    ["bundle.json", "bundle"]
  ] as const) {
    const path = nearest(archive, name)
    if (path === undefined) continue
    const json = await archive.read(path, MAX_FILE_BYTES)
    if (json === undefined) throw tooLarge(`${name} of the archive is larger than ${MAX_FILE_BYTES / MIB} MiB.`)
    const source = sourceIn(path.slice(0, -name.length), new Set([path]))
    return { json: readJson(json, `${name} of the archive`), source, format }
  }
  const manifest = nearest(archive, "manifest.json")
  const backyard = manifest === undefined ? undefined : await openBackyard(archive, manifest, report)
  if (backyard !== undefined)
    return { json: backyard.json, source: sourceIn(backyard.folder, backyard.used), format: "backyard" }
  const only = onlyCard(archive)
  if (only !== undefined) {
    const inside = await archive.read(only, MAX_FILE_BYTES)
    if (inside === undefined) throw tooLarge(`${shownName(only)} is larger than ${MAX_FILE_BYTES / MIB} MiB.`)
    return openFile(inside, report, { isInArchive: true })
  }
  const names = archive.files.slice(0, 5).map(shownName).join(", ")
  throw unsupported(
    `The archive has ${archive.files.length} files${names === "" ? "" : ` (${names})`}, but neither card.json nor ` +
      "bundle.json. If one of them is a character, import that file by itself."
  )
}

const pictureType = (bytes: Buffer): "png" | "jpeg" | "webp" | undefined => {
  if (isPng(bytes)) return "png"
  if (bytes.toString("latin1", 0, 3) === "\xff\xd8\xff") return "jpeg"
  return bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP" ? "webp" : undefined
}

const OTHERS: ReadonlyArray<readonly [at: number, signature: string, what: string]> = [
  [0, "GIF8", "a GIF picture"],
  [4, "ftyp", "an AVIF, HEIC or MP4 file"],
  [0, "%PDF", "a PDF document"],
  [0, "Rar!", "a RAR archive"],
  [0, "7z\xbc\xaf", "a 7z archive"],
  [0, "\x1f\x8b", "a gzip archive"],
  [0, "<", "a web page or XML"]
]

/** A text file in UTF-8. A program on Windows may have written it in UTF-16. */
const inUtf8 = (bytes: Buffer): Buffer => {
  const mark = bytes.toString("latin1", 0, 2)
  if (mark === "\xff\xfe") return Buffer.from(bytes.toString("utf16le", 2))
  if (mark === "\xfe\xff" && bytes.length % 2 === 0)
    return Buffer.from(Buffer.from(bytes).swap16().toString("utf16le", 2))
  return bytes
}

/** The JSON or YAML of a text file. */
const fromText = (bytes: Buffer): unknown => {
  const text = inUtf8(bytes)
  const begin = text.toString("utf8", 0, 200).replace("\uFEFF", "").trimStart()
  if (/^\[?\s{0,9}\{\s{0,9}'/.test(begin))
    throw unreadable(
      "The file is a dictionary of Python, not JSON: it has single quotation marks. Write it with json.dump, and " +
        "import that."
    )
  if (/^[{[]/.test(begin) || !isUtf8(text)) return readJson(text, "The file")
  const yaml = text.toString("utf8").replace("\uFEFF", "")
  return isYaml(yaml) ? readYaml(yaml) : readJson(text, "The file")
}

/** Opens a file by its content, regardless of its name. A card in the texts of a picture precedes a ZIP behind it. */
export const openFile = async (bytes: Buffer, report: Report, { isInArchive = false } = {}): Promise<Opened> => {
  if (bytes.length > MAX_FILE_BYTES) throw tooLarge(`The file is larger than ${MAX_FILE_BYTES / MIB} MiB.`)
  if (bytes.length === 0) throw unreadable("The file is empty.")
  const picture = pictureType(bytes)
  const inPng = picture === "png" ? fromPng(bytes, report) : undefined
  if (inPng !== undefined && !(inPng instanceof ImportRefused)) return inPng
  const zip = zipIn(bytes)
  if (zip !== undefined && isInArchive)
    throw unsupported("The archive contains another archive. Import that file by itself.")
  if (zip !== undefined) return fromZip(zip, bytes, report)
  if (inPng !== undefined) throw inPng
  if (picture === "jpeg" || picture === "webp") {
    const json = metadataCard(bytes, picture)
    if (json !== undefined) return { json, source: { ...NO_ASSETS, main: bytes } }
    throw unsupported(
      `The file is a ${picture === "jpeg" ? "JPEG" : "WebP"} picture without a character in it. ${WHAT_TO_SEND}`
    )
  }
  if (bytes.toString("latin1", 0, 4) === "PK\x03\x04")
    throw unreadable("The archive is truncated: the list of its files, at its end, is missing. Download it again.")
  const [, , other] = OTHERS.find(([at, sign]) => bytes.toString("latin1", at, at + sign.length) === sign) ?? []
  if (other !== undefined) throw unsupported(`The file is ${other}. ${WHAT_TO_SEND}`)
  return { json: fromText(bytes), source: NO_ASSETS }
}
