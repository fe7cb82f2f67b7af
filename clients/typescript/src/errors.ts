import type { ErrorCode } from "./generated/types.gen.ts"

/** A request that did not succeed, for any reason. */
export class TroupeError extends Error {
  override readonly name: string = "TroupeError"
}

/** The server could not be reached, or the connection broke before the whole answer was there. */
export class ConnectionError extends TroupeError {
  override readonly name = "ConnectionError"
}

/** The answer did not arrive in time. */
export class TimeoutError extends TroupeError {
  override readonly name = "TimeoutError"
}

/** What the server says of an error. The plain-string form has only a message. */
export interface ErrorDetail {
  readonly code: string | null
  readonly message: string
  readonly fix: string | null
  readonly request_id: string | null
  /** Cursor to continue from, with `cursor_expired`. */
  readonly earliest_since?: number | string
  /** Seconds to wait. */
  readonly interval_seconds?: number
}

/** The server refused the request. `code` tells why, and `detail.fix` what to do about it. */
export class ApiError<Code extends string | null = string | null> extends TroupeError {
  override readonly name = "ApiError"
  readonly status: number
  readonly code: Code
  readonly detail: ErrorDetail
  /** Report it to the operator. It is also in the server's logs. */
  readonly requestId: string | null
  readonly headers: Headers

  constructor(status: number, detail: ErrorDetail, headers: Headers) {
    super(`${status} ${detail.code === null ? "" : `${detail.code}: `}${detail.message} ${detail.fix ?? ""}`.trim())
    this.status = status
    this.code = detail.code as Code
    this.detail = detail
    this.requestId = detail.request_id ?? headers.get("x-request-id")
    this.headers = headers
  }

  /** Whether it is one of these errors. */
  is<const Known extends ErrorCode>(...codes: ReadonlyArray<Known>): this is ApiError<Known> {
    return (codes as ReadonlyArray<string | null>).includes(this.code)
  }
}

/** Whether something thrown is an ApiError with one of these codes. Without codes: any ApiError. */
export const isApiError = <const Known extends ErrorCode>(
  error: unknown,
  ...codes: ReadonlyArray<Known>
): error is ApiError<Known> => error instanceof ApiError && (codes.length === 0 || error.is(...codes))

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/** The error of an answer with this body. */
export const apiErrorOf = (status: number, text: string, headers: Headers): ApiError => {
  const none = { code: null, fix: null, request_id: headers.get("x-request-id") }
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return new ApiError(status, { ...none, message: "The answer is not from a Troupe server. Check baseUrl." }, headers)
  }
  const detail = isRecord(body) ? body["detail"] : undefined
  if (!isRecord(detail)) return new ApiError(status, { ...none, message: String(detail ?? "No message.") }, headers)
  const given = detail as Partial<ErrorDetail>
  return new ApiError(
    status,
    {
      ...detail,
      code: given.code ?? null,
      message: given.message ?? "",
      fix: given.fix ?? null,
      request_id: given.request_id ?? null
    },
    headers
  )
}
