import type { ServerResponse } from "node:http"
import { SLOW_READER_MS } from "#channels/event-log/Feeds.ts"
import type { App } from "./Server.ts"

/** How fast a client must take the rest of an answer, after a time in which it may pause. */
const LEAST_BYTES_PER_MS = 64

/** Closes the connection if the client does not take the rest of an answer, which stays in memory until then. */
export const leaveIfSlow = (response: ServerResponse): void => {
  const left = response.socket?.writableLength ?? 0
  if (left === 0) return
  const timer = setTimeout(() => response.destroy(), SLOW_READER_MS + left / LEAST_BYTES_PER_MS)
  response.once("close", () => clearTimeout(timer))
}

/** Clients that do not read their answers, or read them very slowly, are left. */
export const leaveSlowReaders = (app: App): void => {
  app.addHook("onRequest", (_, reply, done) => {
    // Everything has been handed to the connection.
    reply.raw.once("prefinish", () => leaveIfSlow(reply.raw))
    done()
  })
}
