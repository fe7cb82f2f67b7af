import { CARD_TYPES } from "./Assets.ts"
import { type AssetMeta, EXTENSIONS } from "./Bundle.ts"
import type { CardRest } from "./toCard.ts"

/** The main picture of a character. */
export const mainOf = (assets: ReadonlyArray<AssetMeta>): AssetMeta | undefined =>
  assets.find(({ kind, is_primary: isPrimary }) => kind === "avatar" && isPrimary) ??
  assets.find(({ kind }) => kind === "avatar")

/**
 * The pictures of a character as a card of version 3 lists them. `addressOf` gives the location of each in the file.
 */
export const listPictures = (
  assets: ReadonlyArray<AssetMeta>,
  addressOf: (asset: AssetMeta) => string
): CardRest["assets"] => {
  const main = mainOf(assets)
  return assets.map((asset) => ({
    type: CARD_TYPES[asset.kind],
    uri: addressOf(asset),
    name: asset === main ? "main" : asset.label,
    ext: EXTENSIONS[asset.mime] ?? "unknown"
  }))
}
