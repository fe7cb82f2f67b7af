import * as Data from "effect/Data"

/** An answer that is not a success, in one of the contract's two forms (7.1). */
export class ApiError extends Data.TaggedError("ApiError")<{
  readonly status: number
  /** Null: the plain-string form, for the generic 401 and 403 and the infrastructure 503s. */
  readonly code: string | null
  readonly message: string
  /** What the caller can do about it. Unused in the plain-string form. */
  readonly fix: string
  /** What else the caller's program needs in order to do it. */
  readonly more?: object
  /** For Retry-After, where it is known. */
  readonly retryAfterSeconds?: number
}> {
  /** The same error about something in particular. */
  saying(message: string, fix: string = this.fix, more: object = {}): ApiError {
    return new ApiError({ status: this.status, code: this.code, message, fix, more })
  }

  /** The same error, with when to come back. */
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
 * The body of an error answer. The request id is the only part of it that varies between two requests for the same
 * reason.
 */
export const errorBody = (error: ApiError, requestId: string): object =>
  error.code === null
    ? { detail: error.message }
    : { detail: { code: error.code, message: error.message, fix: error.fix, ...error.more, request_id: requestId } }
/** An error that was made on another thread, by its fields. */
export const refusedElsewhere = ({
  status,
  code,
  message,
  fix
}: Pick<ApiError, "status" | "code" | "message" | "fix">) => new ApiError({ status, code, message, fix })
