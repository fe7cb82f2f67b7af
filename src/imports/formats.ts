import { BUNDLE_SCHEMA } from "./Bundle.ts"
import { OTHER_FORMATS } from "./OtherCard.ts"
import { otherCard } from "./otherCards.ts"
import { otherLorebook } from "./otherLorebooks.ts"
import { type Fields, isRecord } from "./readJson.ts"

export const FORMATS = [
  "bundle",
  "chara_card_v1",
  "chara_card_v2",
  "chara_card_v3",
  "charx",
  "lorebook",
  "eliza",
  ...OTHER_FORMATS
] as const
export type Format = (typeof FORMATS)[number]

const V1 = ["description", "personality", "scenario", "first_mes", "mes_example"]
const ELIZA = ["bio", "messageExamples", "postExamples", "adjectives", "topics", "style"]
const SPECS: Readonly<Record<string, Format>> = {
  chara_card_v2: "chara_card_v2",
  chara_card_v3: "chara_card_v3",
  lorebook_v3: "lorebook"
}

const hasOne = (file: Fields, names: ReadonlyArray<string>): boolean =>
  names.some((name) => file[name] !== undefined && file[name] !== null)

/** Detects the format of a JSON file by its content. Names of chunks and files are not reliable. Undefined: unknown. */
export const formatOf = (file: Fields): Format | undefined => {
  if (file["schema"] === BUNDLE_SCHEMA) return "bundle"
  const { spec, data } = file
  if (typeof spec === "string") return Object.hasOwn(SPECS, spec) ? SPECS[spec] : undefined
  const other = otherCard(file)
  if (other !== undefined) return other.format
  const isCard = hasOne(file, ["personality", "first_mes", "mes_example"])
  if (!isCard && otherLorebook(file) !== undefined) return "lorebook"
  if (isRecord(data) && typeof data["name"] === "string" && hasOne(data, V1)) return "chara_card_v2"
  if (!isCard && (isRecord(file["entries"]) || Array.isArray(file["entries"]))) return "lorebook"
  if (typeof file["name"] === "string" && hasOne(file, ELIZA) && !hasOne(file, ["first_mes", "mes_example"]))
    return "eliza"
  return typeof file["name"] === "string" && hasOne(file, V1) ? "chara_card_v1" : undefined
}
