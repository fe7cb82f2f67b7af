import { type AssetMeta, type Bundle } from "#src/imports/Bundle.ts"
import { bundleZip } from "#src/imports/bundleZip.ts"
import { cardPng } from "#src/imports/cardPng.ts"
import { listPictures, mainOf } from "#src/imports/listPictures.ts"
import { type Fields, textOf } from "#src/imports/readJson.ts"
import { toBundle } from "#src/imports/toBundle.ts"
import { toCard } from "#src/imports/toCard.ts"

/** The forms of a character as a file. */
export const EXPORT_FORMATS = ["chara_card_v3", "png", "bundle"] as const

/** A character with everything that its file contains. The contents of its pictures are keyed by SHA-256. */
export interface CharacterExport {
  readonly format: (typeof EXPORT_FORMATS)[number]
  readonly slug: string
  readonly profile: Fields
  readonly whole: Omit<Bundle, "character" | "lore">
  readonly images: ReadonlyMap<string, Uint8Array>
}

export interface ExportFile {
  readonly type: string
  readonly extension: string
  readonly content: Uint8Array
}

/** Short enough for a PNG, whose keywords have at most 79 characters. */
const pathOf = ({ sha256 }: AssetMeta): string => sha256.slice(0, 32)

const jsonFile = (value: Fields): ExportFile => ({
  type: "application/json; charset=utf-8",
  extension: "json",
  content: Buffer.from(JSON.stringify(value))
})

const bundleFile = async ({ slug, profile, whole, images }: CharacterExport): Promise<ExportFile> => {
  const bundle = toBundle(slug, profile, whole.npcs, whole)
  return images.size === 0
    ? jsonFile(bundle)
    : { type: "application/zip", extension: "zip", content: await bundleZip(bundle, images) }
}

const cardFile = ({ slug, profile, whole, images }: CharacterExport): ExportFile => {
  const inside = ({ mime, sha256 }: AssetMeta) =>
    `data:${mime};base64,${Buffer.from(images.get(sha256) ?? []).toString("base64")}`
  return jsonFile(
    toCard(slug, profile, whole.extra, { ...whole, assets: listPictures(whole.assets, inside), isPlaceholder: false })
  )
}

const pictureFile = async ({ slug, profile, whole, images }: CharacterExport): Promise<ExportFile> => {
  const { assets } = whole
  const main = mainOf(assets)
  const card = toCard(slug, profile, whole.extra, {
    ...whole,
    assets: listPictures(assets, (asset) => (asset === main ? "ccdefault:" : `embeded://${pathOf(asset)}`)),
    isPlaceholder: main === undefined
  })
  const embedded = new Map(
    assets.flatMap((asset) =>
      asset === main ? [] : [[pathOf(asset), images.get(asset.sha256) ?? new Uint8Array()] as const]
    )
  )
  return {
    type: "image/png",
    extension: "png",
    content: await cardPng(card, textOf(profile["display_name"]), images.get(main?.sha256 ?? "") ?? null, embedded)
  }
}

/** Writes the file. For a character with pictures this takes up to a few hundred milliseconds. */
export const writeCharacterExport = async (character: CharacterExport): Promise<ExportFile> => {
  switch (character.format) {
    case "bundle":
      return bundleFile(character)
    case "chara_card_v3":
      return cardFile(character)
    case "png":
      return pictureFile(character)
  }
}
