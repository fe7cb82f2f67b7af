import * as Effect from "effect/Effect"
import { Assets, NO_ASSETS, shownName } from "./Assets.ts"
import type { Bundle } from "./Bundle.ts"
import { type Format, formatOf } from "./formats.ts"
import { ImportRefused, unsupported } from "./ImportRefused.ts"
import { mapBundle } from "./mapBundle.ts"
import { mapCard } from "./mapCard.ts"
import { mapEliza } from "./mapEliza.ts"
import { mapLorebook } from "./mapLorebook.ts"
import { otherCard } from "./otherCards.ts"
import { otherLorebook } from "./otherLorebooks.ts"
import { isStoryCards } from "./worldInfo.ts"
import { openFile } from "./openFile.ts"
import { type Fields, isRecord, storable } from "./readJson.ts"
import { Report, type ReportData } from "./Report.ts"
import { stayInUnit } from "#src/units/currentUnit.ts"

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

const fieldsIn = (json: Fields): string => {
  const names = Object.keys(json).slice(0, 8).map(shownName).join(", ")
  return names === "" ? "It has no fields." : `It has the fields ${names}.`
}

const read = async ({ format, content, filename, forPresent }: ImportFile): Promise<ReadImport> => {
  const report = new Report()
  const within = stayInUnit()
  const opened =
    "json" in content ? { json: storable(content.json), source: NO_ASSETS } : await openFile(content.bytes, report)
  const { source } = opened
  const json = Array.isArray(opened.json) && isStoryCards(opened.json) ? { storyCards: opened.json } : opened.json
  if (!isRecord(json))
    throw unsupported(
      Array.isArray(json)
        ? "The JSON is a list. Import each character or lorebook in it by itself."
        : "The JSON is not an object."
    )
  const found = "format" in opened ? opened.format : formatOf(json)
  if (found === undefined) throw unsupported(`The file is in none of the known formats. ${fieldsIn(json)}`)
  if (format !== "auto" && format !== found) throw unsupported(`The format is ${found}, but ${format} was requested.`)
  const assets = new Assets(report, source)
  const bundle = boundExtra(await within(() => mapAs(found)), report)
  assets.sayOmitted()
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
      case "agnai":
      case "pygmalion":
      case "backyard":
      case "koboldai":
      case "ai_dungeon":
        return mapOther(json as Fields)
    }
  }

  /** Stories add their lore to an existing character, and nothing else. */
  async function mapOther(file: Fields): Promise<Bundle> {
    if (forPresent && otherLorebook(file) !== undefined) return mapLorebook(file, filename, forPresent, report)
    const card = otherCard(file, filename)
    if (card === undefined) throw unsupported("The archive has no character that can be read.")
    report.unused(card.unused, "Not used here.")
    report.namePaths(card.paths)
    return mapCard(card.data, assets, report)
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
