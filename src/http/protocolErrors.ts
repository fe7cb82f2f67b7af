import type { Socket } from "node:net"
import { errorBody, validationError } from "./errors.ts"
import { newId } from "#pipeline/domain/Id.ts"

const REASONS: Record<string, readonly [number, string, string]> = {
  HPE_HEADER_OVERFLOW: [431, "Request Header Fields Too Large", "headers: are larger than 16 KiB together"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "Request Timeout", "request: did not arrive in time"]
}

/** Answers what is not HTTP at all, for which there is no request yet, in the contract's form, and hangs up. */
export const answerProtocolError = (error: { readonly code?: string }, socket: Socket): void => {
  if (error.code === "ECONNRESET" || !socket.writable) return
  const [status, title, problem] = REASONS[error.code ?? ""] ?? [400, "Bad Request", "request: is not valid HTTP/1.1"]
  const body = JSON.stringify(errorBody(validationError(problem), newId("req")))
  socket.end(`HTTP/1.1 ${status} ${title}\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}
