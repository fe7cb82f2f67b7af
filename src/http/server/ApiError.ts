import * as Data from "effect/Data"

interface Fields {
  readonly status: number
  /** Null: the plain-string form, for the generic 401 and 403 and the infrastructure 503s. */
  readonly code: string | null
  readonly message: string
  /** What the caller can do about it. Not used in the plain-string form. */
  readonly fix: string
  /** Further fields that the caller's program needs for the fix. */
  readonly more?: object
  /** For Retry-After, if it is known. */
  readonly retryAfterSeconds?: number
  /** What it is about: `body.slug`, `query.since` or `headers.last-event-id`. The answer says what was found there. */
  readonly field?: string
}

/** An error response, in one of the contract's two forms (7.1). */
export class ApiError extends Data.TaggedError("ApiError")<Fields> {
  /** The same error with other fields. */
  with(changed: Partial<Fields>): ApiError {
    const { status, code, message, fix, more = {}, retryAfterSeconds, field } = this
    return new ApiError({
      status,
      code,
      message,
      fix,
      more,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      ...(field !== undefined && { field }),
      ...changed
    })
  }

  /** The same error with a specific message. */
  saying(message: string, fix: string = this.fix, more: object = {}): ApiError {
    return this.with({ message, fix, more })
  }

  /** The same error with a retry delay. */
  after(seconds: number, fix: string = this.fix): ApiError {
    return this.with({ fix, retryAfterSeconds: seconds })
  }

  /** The same error about a field of the request. */
  about(field: string): ApiError {
    return this.with({ field })
  }
}
/**
 * The body of an error response. The request id is its only part that differs between two requests with the same error.
 */
export const errorBody = (error: ApiError, requestId: string): object =>
  error.code === null
    ? { detail: error.message }
    : { detail: { code: error.code, message: error.message, fix: error.fix, ...error.more, request_id: requestId } }
/** What an error from another thread is rebuilt from. */
export type ErrorFields = Pick<ApiError, "status" | "code" | "message" | "fix"> & {
  readonly field?: string | undefined
}
/** An error from another thread, rebuilt from its fields. */
export const refusedElsewhere = ({ status, code, message, fix, field }: ErrorFields) => {
  const error = new ApiError({ status, code, message, fix })
  return field === undefined ? error : error.about(field)
}
