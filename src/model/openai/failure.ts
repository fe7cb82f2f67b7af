import * as Data from "effect/Data"
import { APIConnectionTimeoutError, APIError } from "openai"
import { AnswerCut, AnswerTooLarge } from "#channels/outbound/boundedFetch.ts"

/** Why one call gave no answer. Contains only our own words: a provider's text may quote the prompt or the key. */
export class CallFailed extends Data.TaggedError("CallFailed")<{
  readonly reason: "refused" | "unreachable"
  readonly code: string
  /** Whether the same call may succeed shortly. */
  readonly passing: boolean
  readonly retryAfterMs: number | null
  /** Whether the server may have rejected the requested format. */
  readonly format: boolean
}> {}

const failed = (
  reason: CallFailed["reason"],
  code: string,
  more: Partial<Pick<CallFailed, "passing" | "retryAfterMs" | "format">> = {}
) => new CallFailed({ reason, code, passing: false, retryAfterMs: null, format: false, ...more })

export const timedOut = () => failed("unreachable", "timeout")
export const badResponse = () => failed("refused", "bad_response")
export const refusal = () => failed("refused", "refusal")
export const filtered = () => failed("refused", "content_filter")
/** The remaining budget of the unit of work does not cover this call. */
export const overBudget = () => failed("refused", "over_budget")
export const unusable = (code: string) => failed("refused", code)

/** `Retry-After` as seconds or as a date. */
const retryAfterMs = (header: string | null | undefined, nowMs: number): number | null => {
  if (header === null || header === undefined || header.trim() === "") return null
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000)
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}

/**
 * Servers name the format in the message or in `param`. If an error says nothing, it may still mean the format, so the
 * next rung is tried.
 */
const mayBeFormat = ({ status, param, message }: APIError): boolean =>
  (status === 400 || status === 404 || status === 422) &&
  /response_format|json_schema|json_object|structured|grammar|schema|\(no body\)$/i.test(`${param ?? ""} ${message}`)

/** Some models reject any temperature except their own, and penalties. */
export const SAMPLING_REFUSED = "sampling_refused"
const isSampling = ({ status, param, message }: APIError): boolean =>
  status === 400 && /temperature|frequency_penalty|presence_penalty/i.test(`${param ?? ""} ${message}`)

/** The server uses a different parameter for the answer length. */
export const LENGTH_REFUSED = "length_refused"
const isLength = ({ status, param, message }: APIError): boolean =>
  status === 400 && /\bmax_(?:completion_)?tokens\b/i.test(`${param ?? ""} ${message}`)

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

const PASSING = new Set([408, 429])
const CUT_OFF = "cut_off"

/** Whether the model had begun to answer. The provider charges for that, even if the answer cannot be read. */
export const wasAnswered = (thrown: unknown): boolean =>
  thrown instanceof AnswerCut || thrown instanceof AnswerTooLarge || thrown instanceof SyntaxError
const MAYBE_PAID: ReadonlySet<string> = new Set(["timeout", "bad_response", CUT_OFF])
/** Whether the provider may charge for a call that failed with this code. */
export const mayBePaid = (code: string): boolean => MAYBE_PAID.has(code)

/** Classifies whatever the client threw. */
export const toCallFailed = (thrown: unknown, nowMs: number): CallFailed => {
  if (thrown instanceof SyntaxError || thrown instanceof AnswerTooLarge) return badResponse()
  if (isTransportTimeout(thrown)) return timedOut()
  if (thrown instanceof AnswerCut) return failed("unreachable", CUT_OFF, { passing: true })
  if (!(thrown instanceof APIError) || thrown.status === undefined)
    return failed("unreachable", "connection", { passing: true })
  // Sent with the status of a rate limit, but it lasts until somebody pays.
  if (thrown.code === "insufficient_quota") return failed("unreachable", "quota_exhausted")
  if (isSampling(thrown)) return failed("refused", SAMPLING_REFUSED)
  if (isLength(thrown)) return failed("refused", LENGTH_REFUSED)
  const code = `http_${thrown.status}`
  return PASSING.has(thrown.status) || thrown.status >= 500
    ? failed("unreachable", code, {
        passing: true,
        retryAfterMs: retryAfterMs(thrown.headers?.get("retry-after"), nowMs)
      })
    : failed("refused", code, { format: mayBeFormat(thrown) })
}
