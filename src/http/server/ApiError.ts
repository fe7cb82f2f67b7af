import * as Data from "effect/Data"

/** An error response, in one of the contract's two forms (7.1). */
export class ApiError extends Data.TaggedError("ApiError")<{
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
}> {
  /** The same error with a specific message. */
  saying(message: string, fix: string = this.fix, more: object = {}): ApiError {
    return new ApiError({ status: this.status, code: this.code, message, fix, more })
  }

  /** The same error with a retry delay. */
  after(seconds: number, fix: string = this.fix): ApiError {
    return new ApiError({
      status: this.status,
      code: this.code,
      message: this.message,
      fix,
      more: this.more ?? {},
      retryAfterSeconds: seconds
    })
  }
}
/**
 * The body of an error response. The request id is its only part that differs between two requests with the same error.
 */
export const errorBody = (error: ApiError, requestId: string): object =>
  error.code === null
    ? { detail: error.message }
    : { detail: { code: error.code, message: error.message, fix: error.fix, ...error.more, request_id: requestId } }
/** An error from another thread, rebuilt from its fields. */
export const refusedElsewhere = ({
  status,
  code,
  message,
  fix
}: Pick<ApiError, "status" | "code" | "message" | "fix">) => new ApiError({ status, code, message, fix })
