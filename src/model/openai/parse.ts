import * as Result from "effect/Result"
import type { Format } from "./Format.ts"
import { closed, lastOfShape, type Missing } from "./lastOfShape.ts"

/** The result of parsing an answer. `broken` is worth one repair attempt. */
export type Parsed<A> = { readonly kind: "answer"; readonly value: A } | Broken
export interface Broken {
  readonly kind: "broken"
  readonly code: "empty_answer" | "truncated_json" | "invalid_json" | "no_json" | "schema_mismatch"
  readonly detail: string
}

const broken = (code: Broken["code"], detail: string): Broken => ({ kind: "broken", code, detail })

/**
 * A model that was asked for plain text may still answer in JSON. Then it is read as JSON, and never shown as text. A
 * reply in quotation marks, in a code block or after a name in brackets is text.
 */
const STRUCTURED = new RegExp(
  String.raw`^\{|^\[\s{0,8}["{[\]]|^"[^"\n]{0,200}"\s{0,4}:|\{\\?"|` +
    "```(?:json|jsonc|json5|xml|yaml|yml)\\b|```\\s{0,8}[[{]|<tool_call",
  "i"
)
const looksStructured = (text: string): boolean => STRUCTURED.test(text)

const REASONS: Readonly<Record<Missing["code"], string>> = {
  truncated_json: "The answer held no complete JSON object.",
  invalid_json: "The answer held no complete JSON object.",
  schema_mismatch: ""
}

/** Extracts an answer from what a model wrote without its thoughts, structured or not. */
export const parse = <A>(content: string, format: Format<A>): Parsed<A> => {
  const text = content.trim()
  if (text === "") return broken("empty_answer", "The answer was empty.")
  if (format.fromPlainText !== null && !looksStructured(text))
    return { kind: "answer", value: format.fromPlainText(text) }
  if (!text.includes("{")) return broken("no_json", "The answer held no JSON object.")
  return Result.match(lastOfShape(text, format.decode), {
    onFailure: ({ code, detail }): Parsed<A> => broken(code, detail ?? REASONS[code]),
    onSuccess: (value): Parsed<A> => ({ kind: "answer", value })
  })
}

const SENTENCE_ENDS = new Set("。！？.!?…\n")

/** Plain text that reached the length limit, up to its last complete sentence. Empty if it has none. */
export const wholeSentences = (text: string): string => {
  let end = text.length
  while (end > 0 && !SENTENCE_ENDS.has(text[end - 1] ?? "")) end--
  return text.slice(0, end)
}

/** What is whole in an object that was cut: the texts in it, up to the last complete sentence. Null: nothing. */
export const salvaged = <A>(content: string, format: Format<A>): A | null => {
  const text = content.trim()
  const start = text.indexOf("{")
  if (start === -1) return null
  const object = closed(text.slice(start), wholeSentences)
  const parsed = object === null ? null : parse(object, format)
  return parsed?.kind === "answer" ? parsed.value : null
}
