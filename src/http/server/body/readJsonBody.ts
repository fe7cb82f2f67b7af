import { isUtf8 } from "node:buffer"
import secureParse from "secure-json-parse"
import { countJsonValues } from "#src/imports/countJsonValues.ts"
import { MAX_VALUES } from "#src/imports/readJson.ts"
import type { ApiError } from "#src/http/server/ApiError.ts"
import { tooManyValues, validationError } from "#src/http/server/errors.ts"
import {
  deepestNesting,
  findTooDeep,
  findUnsafeNumber,
  findUnstorable,
  maybeUnsafeNumber,
  maybeUnstorable
} from "./unstorable.ts"

/** A body as JSON, `undefined` if there is none, or why it is refused. */
export type JsonBody = { readonly value: unknown } | { readonly error: ApiError }

const asText = "Send the number as a string, or within the precision of a double-precision number."

const bodyAt = (path: string): string => (path === "" || path.startsWith("[") ? `body${path}` : `body.${path}`)

/** What is wrong with a JSON body. Null: nothing. */
const findWrong = (json: string, value: unknown): ApiError | null => {
  const tooDeep = findTooDeep(value)
  if (tooDeep !== null) return validationError(`${bodyAt(tooDeep)}: is nested more than ${deepestNesting} deep`)
  const unstorable = maybeUnstorable(json) ? findUnstorable(value) : null
  if (unstorable !== null)
    return validationError(`${bodyAt(unstorable)}: must not contain U+0000 or half a surrogate pair`)
  const unkept = maybeUnsafeNumber(json) ? findUnsafeNumber(json) : null
  if (unkept !== null)
    return validationError(`${bodyAt(unkept)}: this number cannot be stored without a loss of precision`, asText)
  return null
}

/** Of what the parser says, only its own words and the place: the rest repeats the body. */
const PARSER_WORDS =
  /^(?:Expected|Unexpected|Bad|Unterminated|No|Exponent|Invalid)\b[^"]{0,80}?(?= in JSON|, "|, \.\.\.|$)/
const PLACE = /\(line \d+ column \d+\)/

/** `body: is not valid JSON: Expected property name or '}' (line 1 column 2)` */
const notJson = (problem: unknown): ApiError => {
  const said = problem instanceof Error ? problem.message : ""
  const [words, place] = [PARSER_WORDS.exec(said)?.[0], PLACE.exec(said)?.[0]]
  return validationError(
    `body: is not valid JSON${words === undefined ? "" : `: ${words}`}${place === undefined ? "" : ` ${place}`}`,
    "Send valid JSON: names and text in double quotes, and no comma after the last value."
  )
}

const parse = (json: string): { readonly value: unknown } | { readonly error: ApiError } => {
  try {
    return { value: secureParse.parse(json, { protoAction: "remove", constructorAction: "remove" }) as unknown }
  } catch (problem) {
    return { error: notJson(problem) }
  }
}

/** Parses bytes as JSON with at most `mostValues` values that PostgreSQL can store. */
export const readJsonBody = (bytes: Uint8Array, mostValues: number = MAX_VALUES): JsonBody => {
  if (!isUtf8(bytes)) return { error: validationError("body: is not valid UTF-8") }
  // A shorter body cannot have that many.
  if (bytes.length > 2 * mostValues && countJsonValues(bytes) > mostValues) return { error: tooManyValues(mostValues) }
  const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  if (json.trim() === "") return { value: undefined }
  const parsed = parse(json)
  if ("error" in parsed) return parsed
  const wrong = findWrong(json, parsed.value)
  return wrong === null ? parsed : { error: wrong }
}
