export type Json = Readonly<Record<string, unknown>>
export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)
export const textOf = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : ""

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

/** How much of an error is read. */
const MAX_ERROR_CHARS = 4_000
const MIN_STATUS = 400
export const isFailed = (httpStatus: number): boolean => httpStatus >= MIN_STATUS
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

/** The fields in which servers say what went wrong, and by which code. */
const MESSAGES = [
  "message",
  "error",
  "msg",
  "error_msg",
  "errmsg",
  "error_message",
  "status_msg",
  "description"
] as const
const CODES = ["code", "status_code", "status", "error_code", "errcode"] as const
const firstText = (error: Json): string =>
  MESSAGES.map((field) => textOf(error[field])).find((text) => text !== "") ?? ""

export const errorFrom = (value: unknown, httpStatus: number): ServerError => {
  const error = isObject(value) ? value : { message: textOf(value) }
  const metadata = isObject(error["metadata"]) ? error["metadata"] : {}
  const codes = CODES.map((field) => error[field])
  const inner = codes.map(Number).find(isStatus)
  const outer = isFailed(httpStatus) ? httpStatus : undefined
  const status = outer === undefined || (VAGUE.has(outer) && inner !== undefined) ? inner : outer
  const named = [...codes, error["type"], error["error_type"]].map(textOf).filter((code) => code !== "")
  const message = [
    firstText(error),
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

/** A status in words may be one of progress. */
const isCode = (field: string, value: unknown): boolean =>
  field === "status" ? isStatus(Number(value)) : textOf(value) !== ""
/** Whether a body without a choice says of itself that it is an error. */
const saysError = (body: Json): boolean =>
  body["object"] === "error" ||
  [body["type"], body["status"]].includes("error") ||
  body["success"] === false ||
  body["ok"] === false ||
  (firstText(body) !== "" && CODES.some((field) => isCode(field, body[field])))
/** Whether a body has nothing but a message. In a stream, such an event may tell of progress. */
const isMessage = (body: Json): boolean =>
  body["object"] === undefined && (firstText(body) !== "" || (body["detail"] ?? "") !== "")

/** What a body with any status says of an error: in `error`, in a list, in a part of its own, or as a whole. */
export const errorValueIn = (body: Json, isEvent = false): Json | null => {
  const { error, errors, base_resp: base, choices } = body
  if (isObject(error)) return error
  if (typeof error === "string" && error !== "") return { ...body, message: error, error: undefined }
  const [first] = Array.isArray(errors) ? errors : [errors]
  if (isObject(first)) return { ...body, ...first }
  if (typeof first === "string" && first !== "") return { ...body, message: first }
  if (isObject(base) && textOf(base["status_msg"]) !== "" && Number(base["status_code"]) !== 0) return base
  if (Array.isArray(choices) && choices.length > 0) return null
  return saysError(body) || (!isEvent && isMessage(body)) ? body : null
}

export const errorIn = (body: Json, httpStatus: number): ServerError | null => {
  const error = errorValueIn(body)
  return error !== null || isFailed(httpStatus) ? errorFrom(error ?? body, httpStatus) : null
}

/** The words of a page, without its markup. */
const wordsOfPage = (page: string): string =>
  page
    .slice(0, MAX_ERROR_CHARS)
    .replace(/<[^<>]{0,500}>/g, " ")
    .replace(/\s+/g, " ")
    .trim()
/** What stands before or behind a status on a gateway's page, whose status line does not have it. */
const STATUS_NAMES =
  "bad |service|gateway|internal|too many|connection|web server|origin|unauthorized|forbidden|not found"
const PAGE_STATUS = new RegExp(
  [
    String.raw`^(?:http )?([45]\d\d)\b`,
    String.raw`(?:error|status|code|\|)[:\s]{0,3}([45]\d\d)\b`,
    String.raw`\b([45]\d\d)\b.{0,3}(?:${STATUS_NAMES})`
  ].join("|"),
  "i"
)
/** Words by which a page without a status is one about a failure, and not a website. */
const TELLS_FAILURE = new RegExp(
  String.raw`\berror\b|bad gateway|timed? ?out|unavailable|rate.?limit|denied|overload|try again|too many requests|` +
    "forbidden|unauthori[sz]ed",
  "i"
)

/** The error that a body says which is no JSON: a page of a gateway, or a line of text. */
export const errorOnPage = (text: string, httpStatus: number): ServerError | null => {
  const message = wordsOfPage(text)
  // An object that broke off is no page.
  const isPage = !text.startsWith("{")
  const named = isPage ? PAGE_STATUS.exec(message)?.slice(1).map(Number).find(isStatus) : undefined
  const status = isFailed(httpStatus) ? httpStatus : (named ?? null)
  const isError = status !== null || (isPage && TELLS_FAILURE.test(message))
  return isError ? { status, code: "", param: "", message, retryAfterMs: null } : null
}
