import { createHash } from "node:crypto"
import type { Fields } from "./readJson.ts"

export const BUNDLE_SCHEMA = "troupe.bundle.v1"

export const PICTURE_KINDS = ["avatar", "portrait", "expression", "background", "reference"] as const
export type PictureKind = (typeof PICTURE_KINDS)[number]

/** File extensions by content type. */
export const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp"
}

/** An image that came with a character, checked by its header. Its content is stored under `sha256`. */
export interface AssetMeta {
  readonly kind: PictureKind
  readonly label: string
  readonly mime: "image/png" | "image/jpeg" | "image/webp"
  readonly width: number
  readonly height: number
  readonly bytes: number
  readonly sha256: string
  readonly is_primary: boolean
  /** Whether the visual identity refers to it. */
  readonly is_reference: boolean
}

/** Maximum number of evidence texts in a file. */
export const MAX_EVIDENCE = 100

/** The result of every kind of import. */
export interface Bundle {
  /** The profile with its slug, without its lore. */
  readonly character: Fields
  readonly npcs: ReadonlyArray<unknown>
  readonly lore: ReadonlyArray<Fields>
  readonly assets: ReadonlyArray<AssetMeta>
  readonly evidence: ReadonlyArray<Fields>
  readonly visual_identity: Fields | null
  /**
   * Other contents of the file: its creator, unused fields, and instructions that must not be followed. Exports write
   * it back, and nothing else reads it.
   */
  readonly extra: Fields
}

const inOrder = (_: string, value: unknown) =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value

/** SHA-256 of a value as JSON with sorted fields. */
export const hashOf = (value: unknown): string =>
  createHash("sha256")
    .update(JSON.stringify(value, inOrder) ?? "")
    .digest("hex")

/** The character profile of a bundle, merged over the present profile if there is one. */
export const profileOf = ({ character, lore }: Pick<Bundle, "character" | "lore">, present: Fields = {}): Fields => {
  const { slug: _, world_context: world, ...fields } = character
  const merged = { ...present, ...fields }
  const context = {
    ...(present["world_context"] as object | undefined),
    ...(world as object | undefined),
    ...(lore.length > 0 && { entries: lore })
  }
  return world === undefined && lore.length === 0 ? merged : { ...merged, world_context: context }
}

/** A profile as a bundle has it, with the lore separate. */
export const splitProfile = (profile: Fields): Pick<Bundle, "character" | "lore"> => {
  const { world_context: world, ...fields } = profile
  if (typeof world !== "object" || world === null) return { character: profile, lore: [] }
  const { entries, ...context } = world as Fields
  if (!Array.isArray(entries) || entries.length === 0) return { character: profile, lore: [] }
  return { character: { ...fields, ...(Object.keys(context).length > 0 && { world_context: context }) }, lore: entries }
}

const charactersIn = (value: unknown): number => {
  if (typeof value === "string") return value.length
  return typeof value === "object" && value !== null
    ? Object.values(value).reduce((sum: number, inner) => sum + charactersIn(inner), 0)
    : 0
}

/** The total length of a bundle's texts, without unused ones. */
export const textLengthOf = ({ character, lore, npcs, evidence, visual_identity }: Bundle): number =>
  charactersIn([character, lore, npcs, evidence, visual_identity])
