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

/**
 * Removes the thinking that local reasoning models write before the answer. Null if the thinking never ended, because
 * none of it may reach the person.
 */
const withoutThinking = (text: string): string | null => {
  if (text.startsWith("{")) return text
  const end = text.lastIndexOf("</think>")
  if (end !== -1) return text.slice(end + "</think>".length).trim()
  return text.startsWith("<think>") ? null : text
}

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

/** The first balanced JSON object in a text: bare, in a code fence, or after an introduction. */
const firstObject = (text: string): Result.Result<unknown, "truncated_json" | "invalid_json"> => {
  for (let start = text.indexOf("{"); start !== -1;) {
    const end = endOfObject(text, start)
    if (end === -1) return Result.fail("truncated_json")
    const parsed = parseJson(text.slice(start, end))
    if (Result.isSuccess(parsed)) return Result.succeed(parsed.success)
    start = text.indexOf("{", end)
  }
  return Result.fail("invalid_json")
}

/**
 * A model that was asked for plain text may still answer in JSON. Then it is read as JSON, and never shown as text. A
 * reply in quotation marks, in a code block or after a name in brackets is text.
 */
const STRUCTURED = new RegExp(
  String.raw`^\{|^\[\s{0,8}["{[\]]|^"[^"\n]{0,200}"\s{0,4}:|\{"|` +
    "```(?:json|jsonc|json5|xml|yaml|yml)\\b|```\\s{0,8}[[{]|<tool_call|<think",
  "i"
)
const looksStructured = (text: string): boolean => STRUCTURED.test(text)

/** Extracts an answer from a model's output, structured or not. */
export const parse = <A>(content: string, format: Format<A>): Parsed<A> => {
  const text = withoutThinking(content.trim())
  if (text === null) return broken("truncated_json", "The answer ended before its JSON object began.")
  if (text === "") return broken("empty_answer", "The answer was empty.")
  if (format.fromPlainText !== null && !looksStructured(text))
    return { kind: "answer", value: format.fromPlainText(text) }
  if (!text.includes("{")) return broken("no_json", "The answer held no JSON object.")
  return Result.match(
    Result.mapError(firstObject(text), (code) => broken(code, "The answer held no complete JSON object.")),
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
