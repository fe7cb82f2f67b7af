import { shownName } from "./Assets.ts"
import { type Fields, isEmpty } from "./readJson.ts"

export const OTHER_FORMATS = ["agnai", "pygmalion", "backyard", "koboldai", "ai_dungeon"] as const

/** A character of another program, with the field names of a card of version 2. */
export interface OtherCard {
  readonly format: (typeof OTHER_FORMATS)[number]
  readonly data: Fields
  /** The paths of these fields in the file. */
  readonly paths: Readonly<Record<string, string>>
  /** The paths of what is not used here. */
  readonly unused: ReadonlyArray<string>
}

/** The paths of the fields that are not in `used` and have a value. */
export const unusedIn = (fields: Fields, used: ReadonlySet<string>, at = ""): ReadonlyArray<string> =>
  Object.keys(fields)
    .filter((name) => !used.has(name) && !isEmpty(fields[name]))
    .map((name) => `${at}${shownName(name)}`)
