import * as Data from "effect/Data"
import { APIConnectionTimeoutError, APIError } from "openai"
import { AnswerCut, AnswerTooLarge } from "#channels/outbound/boundedFetch.ts"
import type { ModelFailure } from "#pipeline/ModelFailure.ts"
import {
  isUnexplained,
  limitIn,
  mayBeFormat,
  type Parameter,
  type Row,
  rowFor,
  type Signs,
  type Remedy
} from "./failureTable.ts"
import { saidBy } from "./said.ts"
import type { ServerError } from "./serverError.ts"

/** Why one call gave no answer. Contains only our own words: a provider's text may quote the prompt or the key. */
export class CallFailed extends Data.TaggedError("CallFailed")<{
  readonly reason: "refused" | "unreachable"
  /** For traces and metrics: more exact than `failure` where there is a status, such as `http_502`. */
  readonly code: string
  readonly failure: ModelFailure
  readonly remedy: Remedy
  readonly retryAfterMs: number | null
  /** Whether the server may have rejected the requested format. */
  readonly format: boolean
  /** Whether nothing says why the server refuses the request, so that it may be the format. */
  readonly isUnexplained: boolean
  readonly parameter: Parameter | null
  /** A limit in tokens that the server names. */
  readonly limit: number | null
  /** What the server said, without words that may be a person's. */
  readonly said: string | null
}> {
  /** Whether the same call may succeed shortly. */
  get passing(): boolean {
    return this.remedy === "retry" || this.remedy === "wait"
  }
}

type More = Partial<
  Pick<CallFailed, "remedy" | "retryAfterMs" | "format" | "isUnexplained" | "parameter" | "limit" | "said">
>
const failed = (reason: CallFailed["reason"], code: string, failure: ModelFailure, more: More = {}) =>
  new CallFailed({
    reason,
    code,
    failure,
    remedy: "give_up",
    retryAfterMs: null,
    format: false,
    isUnexplained: false,
    parameter: null,
    limit: null,
    said: null,
    ...more
  })

const CUT_OFF = "cut_off"
export const timedOut = () => failed("unreachable", "timeout", "timeout")
export const badResponse = () => failed("refused", "bad_response", "no_answer")
/** A completion without a choice, for which the server reports no usage: it has failed without saying so. */
export const noChoice = () => failed("unreachable", "bad_response", "no_answer", { remedy: "retry" })
export const brokenOff = () => failed("unreachable", CUT_OFF, "unreachable", { remedy: "retry" })
export const refusal = () => failed("refused", "refusal", "refusal")
export const filtered = () => failed("refused", "content_filter", "content_filter")
/** The remaining budget of the unit of work does not cover this call. */
export const overBudget = () => failed("refused", "over_budget", "over_budget")
export const unusable = (code: string, failure: ModelFailure) => failed("refused", code, failure)

/** `Retry-After` as seconds or as a date. */
export const retryAfterMs = (headers: Headers | undefined, nowMs: number): number | null => {
  const ms = Number(headers?.get("retry-after-ms") ?? Number.NaN)
  if (Number.isFinite(ms)) return Math.max(0, ms)
  const header = headers?.get("retry-after")
  if (header === null || header === undefined || header.trim() === "") return null
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000)
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}

const VALIDATE_FAILED = "json_validate_failed"
/** The server refuses what its own model wrote, so the format works for other questions. */
export const REFUSED_OWN_JSON = "invalid_json"

const codeOf = ({ status, words }: Signs, { failure }: Row): string =>
  words.includes("insufficient_quota")
    ? "quota_exhausted"
    : words.includes(VALIDATE_FAILED)
      ? REFUSED_OWN_JSON
      : failure === "content_filter" || status === null
        ? failure
        : `http_${status}`

/** What an error of a server means. `waitMs`: the pause that its headers ask for. */
export const fromServer = (error: ServerError, waitMs: number | null): CallFailed => {
  const words = `${error.code} ${error.param} ${error.message}`.toLowerCase()
  const signs = { status: error.status, words, hasBody: words.trim() !== "" }
  const row = rowFor(signs)
  const isPassing = row.remedy === "retry" || row.remedy === "wait"
  return failed(
    isPassing || row.failure === "out_of_credit" ? "unreachable" : "refused",
    codeOf(signs, row),
    row.failure,
    {
      remedy: row.remedy,
      retryAfterMs: isPassing ? (waitMs ?? error.retryAfterMs) : null,
      format: row.failure === "format_refused" || mayBeFormat(signs),
      isUnexplained: isUnexplained(signs, row),
      parameter: row.parameter ?? null,
      limit: limitIn(words),
      said: saidBy(error.message)
    }
  )
}

/** Transport timeout errors: no connection, no response headers, or a body that stopped. */
const TRANSPORT_TIMEOUTS: ReadonlySet<unknown> = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "ETIMEDOUT"
])
/** How many levels of wrapped errors to look into. */
const MAX_WRAPPED = 5
const isTransportTimeout = (thrown: unknown, depth = 0): boolean =>
  thrown instanceof APIConnectionTimeoutError ||
  (thrown instanceof Error &&
    depth < MAX_WRAPPED &&
    (("code" in thrown && TRANSPORT_TIMEOUTS.has(thrown.code)) || isTransportTimeout(thrown.cause, depth + 1)))

/** Whether the model had begun to answer. The provider charges for that, even if the answer cannot be read. */
export const wasAnswered = (thrown: unknown): boolean => thrown instanceof AnswerCut || thrown instanceof AnswerTooLarge
const MAYBE_PAID: ReadonlySet<string> = new Set(["timeout", "bad_response", CUT_OFF])
/** Whether the provider may charge for a call that failed with this code. */
export const mayBePaid = (code: string): boolean => MAYBE_PAID.has(code)

/** Classifies whatever a request or the client threw. */
export const toCallFailed = (thrown: unknown, nowMs: number): CallFailed => {
  if (thrown instanceof SyntaxError || thrown instanceof AnswerTooLarge) return badResponse()
  if (isTransportTimeout(thrown)) return timedOut()
  if (thrown instanceof AnswerCut) return brokenOff()
  if (!(thrown instanceof APIError) || thrown.status === undefined)
    return failed("unreachable", "connection", "unreachable", { remedy: "retry" })
  const { status, code, type, param, message } = thrown
  return fromServer(
    {
      status,
      code: `${code ?? ""} ${type ?? ""}`,
      param: param ?? "",
      // The client's own words for an answer without a body.
      message: message.replace(/^\d{3} (?:status code )?(?:\(no body\))?/, ""),
      retryAfterMs: null
    },
    retryAfterMs(thrown.headers, nowMs)
  )
}
