import * as Effect from "effect/Effect"
import { readFileSync, statSync } from "node:fs"
import type { TextsByTag } from "#pipeline/texts/OwnTexts.ts"
import { maxUnitsOf, placeholdersIn, type ServiceTextKey, type ServiceTexts } from "#pipeline/texts/ServiceTexts.ts"
import { canonicalTag, textsFor } from "#pipeline/texts/textsFor.ts"
import { BadSetting, type Given, given } from "./checks.ts"

const MAX_BYTES = 1_000_000
const MAX_LANGUAGES = 200
const MAX_LINES = 20
/** Of a key that a message repeats. */
const MAX_SHOWN = 40
const LANGUAGE_TAG = /^[a-z]{2,3}(?:-|$)/

const ENGLISH = textsFor([], new Map())
const isKey = (key: string): key is ServiceTextKey => Object.hasOwn(ENGLISH, key)
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const shown = (name: string): string => JSON.stringify(name.slice(0, MAX_SHOWN).toWellFormed())

const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u
const CONTROL = /\p{Cc}/u
/** Telegram's menus and buttons have one line. */
const isOneLine = (key: ServiceTextKey) => key.startsWith("command_") || key === "manager_button"

/** What is wrong with a text. Null: nothing. */
const problemOf = (key: ServiceTextKey, text: unknown): string | null => {
  if (typeof text !== "string") return "is not a string"
  if (!text.isWellFormed() || CONTROL.test(text.replaceAll("\n", ""))) return "has characters that are no text"
  if (!VISIBLE.test(text)) return "is empty"
  if (isOneLine(key) && text.includes("\n")) return "must be one line"
  const most = maxUnitsOf(key)
  if (text.trim().length > most) return `is too long for Telegram, which allows ${most} characters`
  const known = [ENGLISH[key]].flat().flatMap(placeholdersIn)
  const unknown = placeholdersIn(text).find((placeholder) => !known.includes(placeholder))
  return unknown === undefined
    ? null
    : `has the unknown placeholder ${shown(unknown)}. ` +
        (known.length === 0 ? "It can have none" : `It can have ${known.join(", ")}`)
}

const checkTexts = Effect.fnUntraced(function* (bad: (problem: string) => BadSetting, tag: string, texts: unknown) {
  if (!isObject(texts)) return yield* bad(`${tag} must be an object of texts`)
  const checked: Array<readonly [ServiceTextKey, string | ReadonlyArray<string>]> = []
  for (const [key, value] of Object.entries(texts)) {
    if (!isKey(key))
      return yield* bad(`${tag} has the unknown key ${shown(key)}. The keys are ${Object.keys(ENGLISH).join(", ")}`)
    const isList = Array.isArray(ENGLISH[key])
    if (isList && (!Array.isArray(value) || value.length === 0 || value.length > MAX_LINES))
      return yield* bad(`${tag}.${key} must be a list of 1 to ${MAX_LINES} strings`)
    for (const text of isList ? (value as ReadonlyArray<unknown>) : [value]) {
      const problem = problemOf(key, text)
      if (problem !== null) return yield* bad(`${tag}.${key} ${problem}`)
    }
    checked.push([key, isList ? (value as ReadonlyArray<string>).map((text) => text.trim()) : String(value).trim()])
  }
  return Object.fromEntries(checked) as Partial<ServiceTexts>
})

const readJson = (file: string): unknown =>
  JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file)))

/** The operator's own texts: a JSON file by language tag. A language may leave out texts. */
export const checkServiceTexts = Effect.fnUntraced(function* (
  setting: string,
  path: Given
): Effect.fn.Return<TextsByTag, BadSetting> {
  const file = given(path)
  const byTag = new Map<string, Partial<ServiceTexts>>()
  if (file === null) return byTag
  const bad = (problem: string) => new BadSetting({ setting, problem })
  const about = yield* Effect.try({ try: () => statSync(file), catch: () => bad("must be the path of a file") })
  if (!about.isFile()) return yield* bad("must be the path of a file")
  if (about.size > MAX_BYTES) return yield* bad(`must have at most ${MAX_BYTES} bytes`)
  const languages = yield* Effect.try({ try: () => readJson(file), catch: () => bad("must be JSON in UTF-8") })
  if (!isObject(languages)) return yield* bad('must be JSON such as {"pt-BR": {"help": "..."}}')
  const entries = Object.entries(languages)
  if (entries.length > MAX_LANGUAGES) return yield* bad(`must have at most ${MAX_LANGUAGES} languages`)
  for (const [name, texts] of entries) {
    const tag = canonicalTag(name)
    if (tag === null || !LANGUAGE_TAG.test(tag))
      return yield* bad(`${shown(name)} is not a language tag such as pt or pt-BR`)
    if (byTag.has(tag)) return yield* bad(`has the language ${tag} twice`)
    byTag.set(tag, yield* checkTexts(bad, tag, texts))
  }
  return byTag
})
