import type { Socket } from "node:net"
import { type ApiError, errorBody } from "./ApiError.ts"
import { headersTooLarge, malformedRequest, requestTimeout } from "./errors.ts"
import { newId } from "#pipeline/domain/Id.ts"

const ERRORS: Record<string, readonly [ApiError, title: string]> = {
  HPE_HEADER_OVERFLOW: [headersTooLarge, "Request Header Fields Too Large"],
  ERR_HTTP_REQUEST_TIMEOUT: [requestTimeout, "Request Timeout"]
}

/** Answers invalid HTTP, for which there is no request object, in the contract's form, and closes the connection. */
export const answerProtocolError = (error: { readonly code?: string }, socket: Socket): void => {
  if (error.code === "ECONNRESET" || !socket.writable) return
  const [problem, title] = ERRORS[error.code ?? ""] ?? [malformedRequest, "Bad Request"]
  const body = JSON.stringify(errorBody(problem, newId("req")))
  socket.end(
    `HTTP/1.1 ${problem.status} ${title}\r\nconnection: close\r\ncontent-type: application/json; ` +
      `charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}
