import type { ModelFailure } from "#pipeline/ModelFailure.ts"

/**
 * What to do after an answer. `retry`: the same call again, soon. `wait`: the same call after the pause that the server
 * asks for. `adapt`: another call, without what was refused. `give_up`: no further call.
 */
export type Remedy = "retry" | "wait" | "adapt" | "give_up"

/** What a server refuses of a request. */
export type Parameter = "length_name" | "length_value" | "sampling" | "system_role" | "thinking"

/** Everything that an error says, in lower case. */
export interface Signs {
  /** Null: the error stands in an answer with 200, and names no status. */
  readonly status: number | null
  readonly words: string
  readonly hasBody: boolean
}

const anyOf = (...phrases: ReadonlyArray<string>): RegExp => new RegExp(phrases.join("|"))

const among =
  (...statuses: ReadonlyArray<number | null>) =>
  ({ status }: Signs): boolean =>
    statuses.includes(status)
const isServers = ({ status }: Signs): boolean => status === null || status >= 500
/** An error that the request may have caused. Some servers send 500 for any of them. */
const isRequests = among(400, 404, 413, 422, 500, 501, 502, 503, null)

const LENGTH_NAME = /\bmax_(?:completion_)?tokens\b/
/** After the name of the parameter. */
const TOO_HIGH = anyOf(
  "too large",
  "at most",
  "less than or equal",
  "cannot (?:be greater|exceed)",
  "maximum value",
  "not exceed"
)
const isLengthTooHigh = (words: string): boolean => {
  const named = LENGTH_NAME.exec(words)
  return named !== null && TOO_HIGH.test(words.slice(named.index, named.index + 120)) && !/got -\d/.test(words)
}
const UNSUPPORTED = anyOf(
  "unsupported",
  "not support",
  "unrecogni[sz]ed",
  "unknown",
  "unexpected",
  "extra",
  "not (?:permitted|allowed)",
  "use .{0,3}max_",
  "deprecated",
  "forbidden"
)
const SAMPLING = /temperature|frequency_penalty|presence_penalty|\btop_p\b/
const SYSTEM_ROLE = anyOf(
  "(?:system|developer) (?:role|message|prompt|instruction)s?.{0,40}(?:not|unsupported)",
  "(?:not|n't) support.{0,20}(?:system|developer) (?:role|message|prompt|instruction)"
)
const OVERFLOW = anyOf(
  "context_length_exceeded",
  "exceed_context_size",
  "context_window_exceeded",
  "maximum context",
  String.raw`context (?:length|window|size).{0,60}(?:exceed|limit|is \d|of only)`,
  "exceeds? (?:the |your )?(?:available |maximum |model'?s )?context",
  "(?:prompt|input|request|conversation) (?:is )?too (?:long|many tokens)",
  "too many (?:input )?tokens",
  "string too long",
  "range of input length",
  "max_model_len",
  "reduce the length",
  "longer than the (?:model|maximum)",
  String.raw`\btokens must be at least 1, got -`,
  "_tokens must be at least 1, got -",
  "input token count.{0,60}exceeds",
  "tokens.{0,20}max_new_tokens.{0,20}must be",
  "larger than the maximum (?:context|prompt|input)",
  "n_ctx",
  "max(?:imum)? (?:prompt|input) (?:length|tokens)"
)
const FORMAT_400 = /response_format|json_schema|json_object|structured|grammar|schema|guided/
const FORMAT = anyOf(
  "response_format",
  "json_schema",
  "json_object",
  "structured.?outputs?",
  "guided",
  "grammar",
  "json_validate_failed",
  // A gateway none of whose providers takes all that was asked for.
  "handle the requested parameters"
)
const LOADING = anyOf(
  "loading (?:the )?model",
  "model.{0,60}(?:is |are )?(?:currently |still |being )(?:loading|loaded)",
  "still loading",
  "model_loading",
  "warming up",
  "not (?:yet )?loaded",
  "model is loading",
  "cold.?start"
)
const NO_CREDIT = anyOf(
  "insufficient_quota",
  "insufficient_(?:balance|credits?|funds)",
  "billing_hard_limit",
  "billing_not_active",
  "insufficient (?:account )?(?:balance|credits?|funds)",
  "more credits",
  "can only afford",
  "credit balance",
  "out of credits?",
  "arrear",
  "exceeded_budget",
  "budget has been exceeded"
)
const FILTER = anyOf(
  "content_?(?:filter|policy|management)",
  "responsibleai",
  "data_?inspection",
  "inappropriate content",
  "content (?:filter|policy|management)",
  "moderation",
  "flagged",
  "safety (?:system|filter|settings)",
  "prohibited_content"
)
const KEY = anyOf(
  "invalid_api_key",
  String.raw`(?:invalid|incorrect|missing|no|wrong) (?:api|authentication|auth)?.?(?:key|token|credentials)\b`,
  "api key (?:not valid|is invalid|expired|was not|required)",
  "authentication_error",
  "unauthenticated",
  "unauthorized",
  "not authenticated",
  "authentication (?:failed|required)",
  "validate credentials",
  "(?:access|api) token (?:is )?(?:invalid|expired)",
  "no auth"
)
const NO_MODEL = anyOf(
  "model_not_found",
  "model_not_exist",
  "not_found_error",
  "no such model",
  "unknown model",
  "invalid model",
  "not a valid model",
  "model.{0,100}(?:not found|not exist|n't exist|not a valid|decommissioned|not supported|no longer)",
  "no endpoints found",
  "no models? loaded",
  "unknown_model"
)
/** A server that reaches for another path, in an answer with 200. */
const NO_PATH = /unexpected endpoint|unknown endpoint|method not allowed|no such (?:path|route|endpoint)/
const OVERLOADED = anyOf(
  "overload",
  "insufficient_system_resource",
  "capacity",
  String.raw`\bbusy\b`,
  "no (?:available|free|healthy) (?:slot|server|worker|upstream|deployment)",
  "queue is full",
  "unavailable",
  "try again (?:later|in a (?:few|moment))"
)
const RATE = anyOf(
  "rate.?limit",
  "too many requests",
  String.raw`(?:request|qps|rpm|tpm|concurrency|frequency).{0,20}limit`,
  "限流|频率|过于频繁"
)

export interface Row {
  readonly failure: ModelFailure
  readonly remedy: Remedy
  readonly when: (signs: Signs) => boolean
  readonly parameter?: Parameter
}

/** What an error means, and what to do about it. The first row that applies decides. */
export const TABLE: ReadonlyArray<Row> = [
  { failure: "loading", remedy: "wait", when: (s) => isServers(s) && LOADING.test(s.words) },
  { failure: "out_of_credit", remedy: "give_up", when: (s) => s.status === 402 || NO_CREDIT.test(s.words) },
  { failure: "bad_key", remedy: "give_up", when: among(401) },
  {
    failure: "content_filter",
    remedy: "give_up",
    when: (s) => among(400, 403, 422, 451, null)(s) && FILTER.test(s.words)
  },
  { failure: "bad_key", remedy: "give_up", when: (s) => among(400, 403, null)(s) && KEY.test(s.words) },
  {
    failure: "parameter_refused",
    remedy: "adapt",
    parameter: "length_value",
    when: (s) => isRequests(s) && isLengthTooHigh(s.words)
  },
  { failure: "context_overflow", remedy: "adapt", when: (s) => isRequests(s) && OVERFLOW.test(s.words) },
  {
    failure: "parameter_refused",
    remedy: "adapt",
    parameter: "length_name",
    when: (s) => among(400, 422, 500, null)(s) && LENGTH_NAME.test(s.words) && UNSUPPORTED.test(s.words)
  },
  {
    failure: "parameter_refused",
    remedy: "adapt",
    parameter: "sampling",
    when: (s) => among(400, 422, null)(s) && SAMPLING.test(s.words)
  },
  {
    failure: "parameter_refused",
    remedy: "adapt",
    parameter: "system_role",
    when: (s) => isRequests(s) && SYSTEM_ROLE.test(s.words)
  },
  {
    failure: "parameter_refused",
    remedy: "adapt",
    parameter: "thinking",
    when: (s) => isRequests(s) && /enable_thinking/.test(s.words)
  },
  { failure: "format_refused", remedy: "adapt", when: (s) => isRequests(s) && FORMAT.test(s.words) },
  {
    failure: "no_model",
    remedy: "give_up",
    when: (s) => among(400, 403, 404, 410, 422, 500, null)(s) && NO_MODEL.test(s.words)
  },
  { failure: "no_model", remedy: "give_up", when: among(404) },
  { failure: "format_refused", remedy: "adapt", when: (s) => among(400, 422)(s) && FORMAT_400.test(s.words) },
  { failure: "bad_key", remedy: "give_up", when: among(403) },
  { failure: "overloaded", remedy: "wait", when: among(498, 503, 529) },
  { failure: "overloaded", remedy: "wait", when: (s) => isServers(s) && OVERLOADED.test(s.words) },
  { failure: "overloaded", remedy: "wait", when: (s) => s.status === 429 && /overload|\bbusy\b/.test(s.words) },
  { failure: "rate_limited", remedy: "wait", when: (s) => s.status === 429 || RATE.test(s.words) },
  {
    failure: "timeout",
    remedy: "retry",
    when: (s) => among(408, 504, 522, 524)(s) || (isServers(s) && /timed? ?out/.test(s.words))
  },
  { failure: "too_large", remedy: "adapt", when: among(413) },
  { failure: "bad_request", remedy: "give_up", when: (s) => s.status === null && NO_PATH.test(s.words) },
  { failure: "server_error", remedy: "retry", when: isServers },
  { failure: "bad_request", remedy: "give_up", when: () => true }
]
const UNKNOWN: Row = { failure: "bad_request", remedy: "give_up", when: () => true }
export const rowFor = (signs: Signs): Row => TABLE.find(({ when }) => when(signs)) ?? UNKNOWN

/** If an error says nothing, it may still mean the format, so the next rung is tried. */
export const mayBeFormat = (signs: Signs): boolean =>
  among(400, 404, 422)(signs) && (!signs.hasBody || FORMAT_400.test(signs.words))

/** Words of a failure that names no reason. */
const NO_REASON: ReadonlySet<string> = new Set(
  (
    "a an api error failed has happened http implemented internal not occurred oops request response server " +
    "something status the there unexpected unknown was went with wrong your 500 501"
  ).split(" ")
)
const namesNoReason = (words: string): boolean =>
  words.match(/[\p{L}\p{N}]+/gu)?.every((word) => NO_REASON.has(word)) !== false
/** Whether nothing says why a request with a format failed. A refusal may have any words. */
export const isUnexplained = (signs: Signs, { failure }: Row): boolean =>
  (failure === "bad_request" && among(400, 422)(signs)) ||
  (failure === "server_error" && among(500, 501, null)(signs) && namesNoReason(signs.words))

/** What stands before the limit that a message names: of the context, or of the length of an answer. */
const BEFORE_LIMIT = [
  String.raw`context (?:length|window|size)(?! by)[^\d]{0,40}`,
  "at most ",
  String.raw`less than or equal to[^\d]{0,4}`,
  String.raw`maximum (?:of |value[^\d]{0,30}|allowed[^\d]{0,20})`,
  String.raw`max_model_len[^\d]{0,12}`,
  String.raw`n_ctx[^\d]{0,6}`,
  "limit of "
]
const LIMIT = new RegExp(String.raw`(?:${BEFORE_LIMIT.join("|")})(\d{2,7})`)
/** The limit that a message names, in tokens. */
export const limitIn = (words: string): number | null => {
  const [, limit] = LIMIT.exec(words) ?? []
  return limit === undefined ? null : Number(limit)
}
