import { isTooDeep } from "#pipeline/isTooDeep.ts"
import { isStream, joinStream } from "./joinStream.ts"
import { removeThoughts } from "./removeThoughts.ts"

/** What a server says about a failure. It may quote the prompt or the key: never show it as it is. */
export interface ServerError {
  /** By the status line or by the body, whichever says more. Null: neither names one. */
  readonly status: number | null
  readonly code: string
  readonly param: string
  readonly message: string
  /** The pause that the body asks for. */
  readonly retryAfterMs: number | null
}

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

type Json = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)
const textOf = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : ""

/** How much of an error is read. */
const MAX_ERROR_CHARS = 4_000
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

const MIN_STATUS = 400
const isStatus = (value: number): boolean => Number.isInteger(value) && value >= MIN_STATUS && value < 600
/** Statuses of gateways that stand for any failure, so that a code in the body says more. */
const VAGUE: ReadonlySet<number> = new Set([500, 502])

/** Without `input`, in which a FastAPI `detail` quotes the request. */
const withoutInput = (key: string, value: unknown): unknown => (key === "input" ? undefined : value)
const detailsOf = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value, withoutInput)

const secondsIn = (details: unknown): number | null => {
  const [, seconds] = /"retryDelay":"(\d{1,6}(?:\.\d{1,9})?)s"/.exec(detailsOf(details).slice(0, MAX_ERROR_CHARS)) ?? []
  return seconds === undefined ? null : Math.round(Number(seconds) * 1000)
}

const errorFrom = (value: unknown, httpStatus: number): ServerError => {
  const error = isObject(value) ? value : { message: textOf(value) }
  const metadata = isObject(error["metadata"]) ? error["metadata"] : {}
  const codes = [error["code"], error["status_code"], error["status"]]
  const inner = codes.map(Number).find(isStatus)
  const outer = httpStatus >= MIN_STATUS ? httpStatus : undefined
  const status = outer === undefined || (VAGUE.has(outer) && inner !== undefined) ? inner : outer
  const named = [...codes, error["type"], error["error_type"]].map(textOf).filter((code) => code !== "")
  const message = [
    textOf(error["message"]) || textOf(error["error"]) || textOf(error["msg"]),
    detailsOf(error["detail"]),
    // Servers that check a request against a schema list what does not fit.
    Array.isArray(error["message"]) || isObject(error["message"]) ? detailsOf(error["message"]) : "",
    detailsOf(metadata["raw"])
  ].filter((text) => text !== "")
  return {
    status: status ?? null,
    code: named.join(" ").slice(0, MAX_ERROR_CHARS),
    param: textOf(error["param"]).slice(0, MAX_ERROR_CHARS),
    message: message.join(" ").slice(0, MAX_ERROR_CHARS),
    retryAfterMs: secondsIn(error["details"])
  }
}

/** Where servers put an error: as `error`, in a list, or as the body itself. */
const errorIn = (body: Json, httpStatus: number): ServerError | null => {
  const { error } = body
  if (isObject(error) || (typeof error === "string" && error !== ""))
    return errorFrom(isObject(error) ? error : { ...body, message: error, error: undefined }, httpStatus)
  const isError = body["object"] === "error" || body["type"] === "error"
  return httpStatus >= MIN_STATUS || isError ? errorFrom(body, httpStatus) : null
}

const NOTHING = { text: "", thinking: "", finish: null, usage: undefined, refusal: null, error: null } as const

/** The words of a page, without its markup. */
const wordsOfPage = (page: string): string =>
  page
    .slice(0, MAX_ERROR_CHARS)
    .replace(/<[^<>]{0,500}>/g, " ")
    .replace(/\s+/g, " ")
    .trim()
/** How a gateway's page names the status that its status line does not have. */
const PAGE_STATUS = /\b(50[0234]|429)\b.{0,3}(?:bad gateway|service|gateway|internal|too many)/i

const fromPage = (text: string, httpStatus: number): DecodedAnswer => {
  const message = wordsOfPage(text)
  const named = Number(PAGE_STATUS.exec(message)?.[1] ?? Number.NaN)
  const status = httpStatus >= MIN_STATUS ? httpStatus : isStatus(named) ? named : null
  const error = status === null ? null : { status, code: "", param: "", message, retryAfterMs: null }
  const shape = error !== null || text === "" ? "missing" : text.startsWith("{") ? "cut" : "unreadable"
  return { ...NOTHING, error, shape }
}

/** Maximum nesting of an answer: several times what any server sends. */
const DEEPEST = 64

const fromCompletion = (body: Json, httpStatus: number, isComplete: boolean): DecodedAnswer => {
  if (isTooDeep(body, DEEPEST))
    return { ...NOTHING, error: httpStatus >= MIN_STATUS ? errorFrom({}, httpStatus) : null, shape: "unreadable" }
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
