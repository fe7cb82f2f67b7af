import { isTooDeep } from "#pipeline/isTooDeep.ts"
import { isStream, joinStream } from "./joinStream.ts"
import { removeThoughts } from "./removeThoughts.ts"
import {
  errorFrom,
  errorIn,
  errorOnPage,
  isFailed,
  isObject,
  type Json,
  type ServerError,
  textOf
} from "./serverError.ts"

/** One answer of a server, whatever its shape. */
export interface DecodedAnswer {
  /** What the model wrote, without its thoughts. */
  readonly text: string
  readonly thinking: string
  /** `length`: it reached the token limit. Null: the server does not say. */
  readonly finish: "stop" | "length" | "content_filter" | "error" | null
  /** As the server reports it, unchecked. */
  readonly usage: unknown
  readonly refusal: string | null
  readonly error: ServerError | null
  /** `missing`: nothing, or a completion without a choice. `unreadable`: no completion at all. `cut`: it broke off. */
  readonly shape: "completion" | "missing" | "unreadable" | "cut"
}

const NAMES_THOUGHTS = /think|thought|reason/i

interface Parts {
  readonly text: Array<string>
  readonly thinking: Array<string>
  readonly refusal: Array<string>
}

/** Text of a part that holds thoughts, which may hold parts itself. */
const wordsIn = (value: unknown, depth = 0): string =>
  typeof value === "string"
    ? value
    : depth > 4
      ? ""
      : Array.isArray(value)
        ? value.map((item) => wordsIn(item, depth + 1)).join("")
        : isObject(value)
          ? wordsIn(value["text"] ?? value["thinking"] ?? value["reasoning"] ?? value["summary"], depth + 1)
          : ""

/** Sorts what `content` holds: a text, a list of parts, one part, or an object instead of its JSON. */
const sortContent = (content: unknown, parts: Parts): void => {
  if (typeof content === "string") parts.text.push(content)
  else if (Array.isArray(content)) for (const part of content) sortContent(part, parts)
  else if (isObject(content)) {
    const type = textOf(content["type"])
    if (NAMES_THOUGHTS.test(type) || content["thought"] === true) parts.thinking.push(wordsIn(content))
    else if (type === "refusal") parts.refusal.push(textOf(content["refusal"]))
    else if (type === "" && content["text"] === undefined) parts.text.push(JSON.stringify(content))
    else if (type === "" || type === "text" || type === "output_text") {
      const { text } = content as { text?: unknown }
      parts.text.push(isObject(text) ? textOf(text["value"]) : textOf(text))
    }
  }
}

const FINISHES: Readonly<Record<string, NonNullable<DecodedAnswer["finish"]>>> = {
  stop: "stop",
  eos: "stop",
  eos_token: "stop",
  end_turn: "stop",
  stop_sequence: "stop",
  tool_calls: "stop",
  function_call: "stop",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  content_filter: "content_filter",
  safety: "content_filter",
  prohibited_content: "content_filter",
  recitation: "content_filter",
  error: "error",
  insufficient_system_resource: "error"
}
const finishOf = (reason: unknown): DecodedAnswer["finish"] => {
  // Google appends what its filter found.
  const [name = ""] = textOf(reason).toLowerCase().split(":")
  return Object.hasOwn(FINISHES, name) ? (FINISHES[name] ?? null) : null
}

const NOTHING = { text: "", thinking: "", finish: null, usage: undefined, refusal: null, error: null } as const

const fromPage = (text: string, httpStatus: number): DecodedAnswer => {
  const error = errorOnPage(text, httpStatus)
  const shape = error !== null || text === "" ? "missing" : text.startsWith("{") ? "cut" : "unreadable"
  return { ...NOTHING, error, shape }
}

/** Maximum nesting of an answer: several times what any server sends. */
const DEEPEST = 64

const fromCompletion = (body: Json, httpStatus: number, isComplete: boolean): DecodedAnswer => {
  if (isTooDeep(body, DEEPEST))
    return { ...NOTHING, error: isFailed(httpStatus) ? errorFrom({}, httpStatus) : null, shape: "unreadable" }
  const usage = body["usage"] ?? undefined
  const choices = body["choices"]
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
  const error =
    errorIn(body, httpStatus) ??
    (isObject(choice) && (isObject(choice["error"]) || textOf(choice["error"]) !== "")
      ? errorFrom(choice["error"], httpStatus)
      : null)
  if (!isObject(choice)) {
    const isCompletion = Array.isArray(choices) || choices === null || body["object"] === "chat.completion"
    return { ...NOTHING, usage, error, shape: isCompletion ? "missing" : "unreadable" }
  }
  const message = isObject(choice["message"]) ? choice["message"] : {}
  const parts: Parts = { text: [], thinking: [], refusal: [textOf(message["refusal"])] }
  sortContent(message["content"] ?? choice["text"], parts)
  for (const [field, value] of Object.entries(message))
    if (NAMES_THOUGHTS.test(field)) parts.thinking.push(wordsIn(value))
  const { text, thinking } = removeThoughts(parts.text.join(""))
  const refusal = parts.refusal.join("")
  const finish = finishOf(choice["finish_reason"])
  return {
    text,
    thinking: [...parts.thinking, thinking].filter((thought) => thought !== "").join("\n"),
    finish,
    usage,
    refusal: refusal === "" ? null : refusal,
    error: error ?? (finish === "error" ? errorFrom({ code: choice["finish_reason"] }, httpStatus) : null),
    shape: isComplete ? "completion" : "cut"
  }
}

/** Decodes an answer, whatever its shape: JSON, a stream that nobody asked for, or a page. Never fails. */
export const decodeAnswer = (body: string, httpStatus: number): DecodedAnswer => {
  const text = body.trim()
  if (isStream(text)) {
    const { answer, isComplete } = joinStream(text)
    return fromCompletion(answer, httpStatus, isComplete)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return fromPage(text, httpStatus)
  }
  // Google puts an error into a list.
  const whole = Array.isArray(value) ? value[0] : value
  return isObject(whole) ? fromCompletion(whole, httpStatus, true) : fromPage(textOf(whole), httpStatus)
}
