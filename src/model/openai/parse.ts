import * as Result from "effect/Result"
import type { Format } from "./Format.ts"

/** The result of parsing an answer. `broken` is worth one repair attempt. */
export type Parsed<A> = { readonly kind: "answer"; readonly value: A } | Broken
export interface Broken {
  readonly kind: "broken"
  readonly code: "empty_answer" | "truncated_json" | "invalid_json" | "no_json" | "schema_mismatch"
  readonly detail: string
}

const broken = (code: Broken["code"], detail: string): Broken => ({ kind: "broken", code, detail })

/** The end of the object that opens at `start`, past its last brace. -1 if it does not close. */
const endOfObject = (text: string, start: number): number => {
  let depth = 0
  let quoted = false
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (quoted) {
      if (char === "\\") at++
      else if (char === '"') quoted = false
    } else if (char === '"') quoted = true
    else if (char === "{") depth++
    else if (char === "}" && --depth === 0) return at + 1
  }
  return -1
}

const parseJson = (text: string): Result.Result<unknown, unknown> => Result.try((): unknown => JSON.parse(text))

/** How an object begins, and not a brace in prose. */
const OPENS_OBJECT = /^\{\s{0,40}(?:"|\}|$)/

/** How many braces without an end are looked behind. */
const MAX_UNCLOSED = 10

/**
 * The last complete JSON object in a text: bare, in a code fence, or after an introduction or a draft. A last object
 * that does not close is the answer, and it is cut.
 */
const lastObject = (text: string): Result.Result<unknown, "truncated_json" | "invalid_json"> => {
  let last: { readonly value: unknown } | null = null
  let unclosed = 0
  for (let start = text.indexOf("{"); start !== -1;) {
    const end = endOfObject(text, start)
    if (end === -1) {
      if (last === null || OPENS_OBJECT.test(text.slice(start, start + 50))) return Result.fail("truncated_json")
      if (++unclosed > MAX_UNCLOSED) break
      start = text.indexOf("{", start + 1)
      continue
    }
    const parsed = parseJson(text.slice(start, end))
    if (Result.isSuccess(parsed)) last = { value: parsed.success }
    start = text.indexOf("{", end)
  }
  return last === null ? Result.fail("invalid_json") : Result.succeed(last.value)
}

/**
 * A model that was asked for plain text may still answer in JSON. Then it is read as JSON, and never shown as text. A
 * reply in quotation marks, in a code block or after a name in brackets is text.
 */
const STRUCTURED = new RegExp(
  String.raw`^\{|^\[\s{0,8}["{[\]]|^"[^"\n]{0,200}"\s{0,4}:|\{"|` +
    "```(?:json|jsonc|json5|xml|yaml|yml)\\b|```\\s{0,8}[[{]|<tool_call",
  "i"
)
const looksStructured = (text: string): boolean => STRUCTURED.test(text)

/** Extracts an answer from what a model wrote without its thoughts, structured or not. */
export const parse = <A>(content: string, format: Format<A>): Parsed<A> => {
  const text = content.trim()
  if (text === "") return broken("empty_answer", "The answer was empty.")
  if (format.fromPlainText !== null && !looksStructured(text))
    return { kind: "answer", value: format.fromPlainText(text) }
  if (!text.includes("{")) return broken("no_json", "The answer held no JSON object.")
  return Result.match(
    Result.mapError(lastObject(text), (code) => broken(code, "The answer held no complete JSON object.")),
    {
      onFailure: (failure): Parsed<A> => failure,
      onSuccess: (object) =>
        Result.match(format.decode(object), {
          onFailure: (detail): Parsed<A> => broken("schema_mismatch", detail),
          onSuccess: (value): Parsed<A> => ({ kind: "answer", value })
        })
    }
  )
}

const SENTENCE_ENDS = new Set("。！？.!?…\n")

/** Plain text that reached the length limit, up to its last complete sentence. Empty if it has none. */
export const wholeSentences = (text: string): string => {
  let end = text.length
  while (end > 0 && !SENTENCE_ENDS.has(text[end - 1] ?? "")) end--
  return text.slice(0, end)
}
