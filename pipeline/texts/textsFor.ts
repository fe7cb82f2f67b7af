import * as Schema from "effect/Schema"
import { readdirSync, readFileSync } from "node:fs"
import type { TextsByTag } from "./OwnTexts.ts"
import { ServiceTexts } from "./ServiceTexts.ts"

const FOLDER = new URL("languages/", import.meta.url)
const decode = Schema.decodeUnknownSync(Schema.fromJsonString(ServiceTexts))

/** The built-in texts: a complete file for each language tag. */
const BUILT_IN: ReadonlyMap<string, ServiceTexts> = new Map(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => [file.slice(0, -".json".length), decode(readFileSync(new URL(file, FOLDER), "utf8"))])
)
export const TEXT_LANGUAGES: ReadonlyArray<string> = [...BUILT_IN.keys()]

/** Longer ones are no tags of people's languages. */
const MAX_TAG = 35

const localeOf = (tag: string): Intl.Locale | null => {
  if (tag.length > MAX_TAG) return null
  try {
    return new Intl.Locale(tag.replaceAll("_", "-"))
  } catch {
    return null
  }
}

/** A language tag in canonical form, such as `pt-BR` for `pt_br`. Null: it is none. */
export const canonicalTag = (tag: string): string | null => localeOf(tag)?.baseName ?? null

/** The tag itself, then with its script only, its region only, and without either: `zh-TW` is `zh-Hant` before `zh`. */
const formsOf = (tag: string): ReadonlyArray<string> => {
  const locale = localeOf(tag)
  if (locale === null) return []
  const { baseName, language, region } = locale
  return [
    baseName,
    `${language}-${locale.maximize().script}`,
    ...(region === undefined ? [] : [`${language}-${region}`]),
    language
  ]
}

/**
 * The texts for these language tags, the most important one first. Each text is looked up by itself: for a tag the
 * operator's own text, then ours, and likewise for the next tag. English is the last.
 */
export const textsFor = (tags: ReadonlyArray<string | null | undefined>, own: TextsByTag): ServiceTexts => {
  const sources = [...tags, "en"].flatMap((tag) => {
    const forms = tag === null || tag === undefined ? [] : formsOf(tag)
    return [own, BUILT_IN].flatMap((texts) => forms.flatMap((form) => texts.get(form) ?? []))
  })
  return Object.assign({}, ...sources.toReversed())
}

/** The language tags that there are texts for. */
export const textLanguages = (own: TextsByTag): ReadonlyArray<string> => [
  ...new Set([...TEXT_LANGUAGES, ...own.keys()])
]
