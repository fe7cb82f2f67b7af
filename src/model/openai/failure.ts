import * as Data from "effect/Data"
import { APIConnectionTimeoutError, APIError } from "openai"
import { AnswerCut, AnswerTooLarge } from "#channels/outbound/boundedFetch.ts"
import type { ModelFailure } from "#pipeline/ModelFailure.ts"
import type { ServerError } from "./decodeAnswer.ts"
import { saidBy } from "./said.ts"

/**
 * What to do after an answer. `retry`: the same call again, soon. `wait`: the same call after the pause that the server
 * asks for. `adapt`: another call, without what was refused. `give_up`: no further call.
 */
export type Then = "retry" | "wait" | "adapt" | "give_up"

/** What a server refuses of a request. */
export type Parameter = "length_name" | "length_value" | "sampling" | "system_role" | "thinking"

/** Why one call gave no answer. Contains only our own words: a provider's text may quote the prompt or the key. */
export class CallFailed extends Data.TaggedError("CallFailed")<{
  readonly reason: "refused" | "unreachable"
  /** For traces and metrics: more exact than `failure` where there is a status, such as `http_502`. */
  readonly code: string
  readonly failure: ModelFailure
  readonly then: Then
  readonly retryAfterMs: number | null
  /** Whether the server may have rejected the requested format. */
  readonly format: boolean
  readonly parameter: Parameter | null
  /** A limit in tokens that the server names. */
  readonly limit: number | null
  /** What the server said, without words that may be a person's. */
  readonly said: string | null
}> {
  /** Whether the same call may succeed shortly. */
  get passing(): boolean {
    return this.then === "retry" || this.then === "wait"
  }
}

type More = Partial<Pick<CallFailed, "then" | "retryAfterMs" | "format" | "parameter" | "limit" | "said">>
const failed = (reason: CallFailed["reason"], code: string, failure: ModelFailure, more: More = {}) =>
  new CallFailed({
    reason,
    code,
    failure,
    then: "give_up",
    retryAfterMs: null,
    format: false,
    parameter: null,
    limit: null,
    said: null,
    ...more
  })

const CUT_OFF = "cut_off"
export const timedOut = () => failed("unreachable", "timeout", "timeout")
export const badResponse = () => failed("refused", "bad_response", "no_answer")
/** A completion without a choice, for which the server reports no usage: it has failed without saying so. */
export const noChoice = () => failed("unreachable", "bad_response", "no_answer", { then: "retry" })
export const brokenOff = () => failed("unreachable", CUT_OFF, "unreachable", { then: "retry" })
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

/** Everything that an error says, in lower case. */
interface Signs {
  /** Null: the error stands in an answer with 200, and names no status. */
  readonly status: number | null
  readonly words: string
  readonly hasBody: boolean
  readonly retryAfterMs: number | null
}

const among =
  (...statuses: ReadonlyArray<number | null>) =>
  ({ status }: Signs): boolean =>
    statuses.includes(status)
const isServers = ({ status }: Signs): boolean => status === null || status >= 500
/** An error that the request may have caused. Some servers send 500 for any of them. */
const isRequests = among(400, 404, 413, 422, 500, 501, 502, 503, null)

const LENGTH_NAME = /\bmax_(?:completion_)?tokens\b/
const LENGTH_TOO_HIGH =
  /max_(?:completion_)?tokens\b.{0,80}(?:too large|at most|less than or equal|cannot (?:be greater|exceed)|maximum value|not exceed)/
const UNSUPPORTED =
  /unsupported|not support|unrecogni[sz]ed|unknown|unexpected|extra|not (?:permitted|allowed)|use .{0,3}max_|deprecated|forbidden/
const SAMPLING = /temperature|frequency_penalty|presence_penalty|\btop_p\b/
const SYSTEM_ROLE =
  /(?:system|developer) (?:role|message|prompt|instruction)s?.{0,40}(?:not|unsupported)|(?:not|n't) support.{0,20}(?:system|developer) (?:role|message|prompt|instruction)/
const OVERFLOW = new RegExp(
  [
    "context_length_exceeded|exceed_context_size|context_window_exceeded",
    "maximum context|context (?:length|window|size).{0,60}(?:exceed|limit|is \\d|of only)|exceeds? (?:the |your )?(?:available |maximum |model'?s )?context",
    "(?:prompt|input|request|conversation) (?:is )?too (?:long|many tokens)|too many (?:input )?tokens|string too long",
    "range of input length|max_model_len|reduce the length|longer than the (?:model|maximum)|\\btokens must be at least 1, got -",
    "_tokens must be at least 1, got -|input token count.{0,60}exceeds|tokens.{0,20}max_new_tokens.{0,20}must be",
    "larger than the maximum (?:context|prompt|input)|n_ctx|max(?:imum)? (?:prompt|input) (?:length|tokens)"
  ].join("|")
)
const FORMAT_400 = /response_format|json_schema|json_object|structured|grammar|schema|guided/
const FORMAT = /response_format|json_schema|json_object|structured.?outputs?|guided|grammar|json_validate_failed/
const LOADING =
  /loading (?:the )?model|model.{0,60}(?:is |are )?(?:currently |still |being )(?:loading|loaded)|still loading|model_loading|warming up|not (?:yet )?loaded|cold.?start/
const NO_CREDIT =
  /insufficient_quota|insufficient_(?:balance|credits?|funds)|billing_hard_limit|billing_not_active|insufficient (?:account )?(?:balance|credits?|funds)|more credits|can only afford|credit balance|out of credits?|arrear|exceeded_budget|budget has been exceeded/
const FILTER =
  /content_?(?:filter|policy|management)|responsibleai|data_?inspection|inappropriate content|content (?:filter|policy|management)|moderation|flagged|safety (?:system|filter|settings)|prohibited_content/
const KEY =
  /invalid_api_key|(?:invalid|incorrect|missing|no|wrong) (?:api|authentication|auth)?.?(?:key|token|credentials)\b|api key (?:not valid|is invalid|expired|was not|required)|authentication_error|unauthenticated|unauthorized|no auth/
const NO_MODEL =
  /model_not_found|model_not_exist|not_found_error|no such model|unknown model|invalid model|not a valid model|model.{0,100}(?:not found|not exist|n't exist|not a valid|decommissioned|not supported|no longer)|no endpoints found|no models? loaded|unknown_model/
/** A server that reaches for another path, in an answer with 200. */
const NO_PATH = /unexpected endpoint|unknown endpoint|method not allowed|no such (?:path|route|endpoint)/
const OVERLOADED =
  /overload|insufficient_system_resource|capacity|\bbusy\b|no (?:available|free|healthy) (?:slot|server|worker|upstream|deployment)|queue is full|unavailable|try again (?:later|in a (?:few|moment))/

interface Row {
  readonly failure: ModelFailure
  readonly then: Then
  readonly when: (signs: Signs) => boolean
  readonly parameter?: Parameter
}

/** What an error means, and what to do about it. The first row that applies decides. */
export const TABLE: ReadonlyArray<Row> = [
  { failure: "loading", then: "wait", when: (s) => isServers(s) && LOADING.test(s.words) },
  { failure: "out_of_credit", then: "give_up", when: (s) => s.status === 402 || NO_CREDIT.test(s.words) },
  { failure: "bad_key", then: "give_up", when: among(401) },
  {
    failure: "content_filter",
    then: "give_up",
    when: (s) => among(400, 403, 422, 451, null)(s) && FILTER.test(s.words)
  },
  { failure: "bad_key", then: "give_up", when: (s) => among(400, 403, null)(s) && KEY.test(s.words) },
  {
    failure: "parameter_refused",
    then: "adapt",
    parameter: "length_value",
    when: (s) => isRequests(s) && LENGTH_TOO_HIGH.test(s.words) && !/got -\d/.test(s.words)
  },
  { failure: "context_overflow", then: "adapt", when: (s) => isRequests(s) && OVERFLOW.test(s.words) },
  {
    failure: "parameter_refused",
    then: "adapt",
    parameter: "length_name",
    when: (s) => among(400, 422, 500, null)(s) && LENGTH_NAME.test(s.words) && UNSUPPORTED.test(s.words)
  },
  {
    failure: "parameter_refused",
    then: "adapt",
    parameter: "sampling",
    when: (s) => among(400, 422, null)(s) && SAMPLING.test(s.words)
  },
  {
    failure: "parameter_refused",
    then: "adapt",
    parameter: "system_role",
    when: (s) => isRequests(s) && SYSTEM_ROLE.test(s.words)
  },
  {
    failure: "parameter_refused",
    then: "adapt",
    parameter: "thinking",
    when: (s) => isRequests(s) && /enable_thinking/.test(s.words)
  },
  { failure: "format_refused", then: "adapt", when: (s) => isRequests(s) && FORMAT.test(s.words) },
  {
    failure: "no_model",
    then: "give_up",
    when: (s) => among(400, 403, 404, 410, 422, 500, null)(s) && NO_MODEL.test(s.words)
  },
  { failure: "no_model", then: "give_up", when: among(404) },
  { failure: "format_refused", then: "adapt", when: (s) => among(400, 422)(s) && FORMAT_400.test(s.words) },
  { failure: "bad_key", then: "give_up", when: among(403) },
  { failure: "overloaded", then: "wait", when: among(498, 503, 529) },
  { failure: "overloaded", then: "wait", when: (s) => isServers(s) && OVERLOADED.test(s.words) },
  { failure: "overloaded", then: "wait", when: (s) => s.status === 429 && /overload|\bbusy\b/.test(s.words) },
  { failure: "rate_limited", then: "wait", when: (s) => s.status === 429 || /rate.?limit/.test(s.words) },
  {
    failure: "timeout",
    then: "retry",
    when: (s) => among(408, 504, 524)(s) || (isServers(s) && /timed? ?out/.test(s.words))
  },
  { failure: "too_large", then: "adapt", when: among(413) },
  { failure: "bad_request", then: "give_up", when: (s) => s.status === null && NO_PATH.test(s.words) },
  { failure: "server_error", then: "retry", when: isServers },
  { failure: "bad_request", then: "give_up", when: () => true }
]
const UNKNOWN: Row = { failure: "bad_request", then: "give_up", when: () => true }

/** If an error says nothing, it may still mean the format, so the next rung is tried. */
const mayBeFormat = ({ status, hasBody, words }: Signs): boolean =>
  among(400, 404, 422)({ status, hasBody, words, retryAfterMs: null }) && (!hasBody || FORMAT_400.test(words))

/** The limit that a message names: of the context, or of the length of an answer. */
const LIMIT =
  /(?:context (?:length|window|size)(?! by)[^\d]{0,40}|at most |less than or equal to[^\d]{0,4}|maximum (?:of |value[^\d]{0,30}|allowed[^\d]{0,20})|max_model_len[^\d]{0,12}|n_ctx[^\d]{0,6}|limit of )(\d{2,7})/
const limitIn = (words: string): number | null => {
  const [, limit] = LIMIT.exec(words) ?? []
  return limit === undefined ? null : Number(limit)
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
  const signs = { status: error.status, words, hasBody: words.trim() !== "", retryAfterMs: waitMs }
  const row = TABLE.find(({ when }) => when(signs)) ?? UNKNOWN
  const isPassing = row.then === "retry" || row.then === "wait"
  return failed(
    isPassing || row.failure === "out_of_credit" ? "unreachable" : "refused",
    codeOf(signs, row),
    row.failure,
    {
      then: row.then,
      retryAfterMs: isPassing ? (waitMs ?? error.retryAfterMs) : null,
      format: row.failure === "format_refused" || mayBeFormat(signs),
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
    return failed("unreachable", "connection", "unreachable", { then: "retry" })
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
