import { STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { newId } from "#pipeline/domain/Id.ts"
import { errorBody, headersTooLarge, malformedRequest, requestTimedOut } from "./errors.ts"

const reasons = new Map([["HPE_HEADER_OVERFLOW", headersTooLarge], ["ERR_HTTP_REQUEST_TIMEOUT", requestTimedOut]])

/** Answers, in the contract's form, what Node could not read as a request: there is no request and no reply, only the socket. */
export const refuseUnreadable = (error: { readonly code?: string }, socket: Socket): void => {
  if (error.code === "ECONNRESET" || socket.destroyed) return
  if (socket.writable) {
    const refusal = reasons.get(error.code ?? "") ?? malformedRequest
    const id = newId("req")
    const body = JSON.stringify(errorBody(refusal, id))
    socket.write([
      `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ""}`,
      "content-type: application/json; charset=utf-8",
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${id}`,
      "connection: close",
      "",
      body
    ].join("\r\n"))
  }
  socket.destroy(error instanceof Error ? error : undefined)
}
