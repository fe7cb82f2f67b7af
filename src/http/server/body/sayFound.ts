import { ApiError } from "#src/http/server/ApiError.ts"
import { receivedAt, valueAt } from "./found.ts"

/** A request as it was sent. */
export interface Sent {
  readonly body?: unknown
  readonly query?: unknown
  readonly headers?: unknown
}

/**
 * An error about a field of the request: its message begins with the field, and ends with what was found there. A field
 * that was not sent is only named by errors that begin with it.
 */
export const sayFound = (error: ApiError, sent: Sent): ApiError => {
  const { field, message } = error
  if (field === undefined || error.code === null || error.status >= 500) return error
  const path = field.match(/[^.[\]]+/g) ?? []
  const value = valueAt(sent, path)
  if (value === undefined) return error
  const said = message.startsWith(`${field}:`) ? message : `${field}: ${message}`
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
  const received = isObject ? "" : receivedAt(path, sent, said)
  return error.with({ message: received === "" ? said : said.replace(/\.$/, "") + received })
}
