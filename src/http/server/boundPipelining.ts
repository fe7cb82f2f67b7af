import type { Socket } from "node:net"
import type { App } from "./Server.ts"

/** A connection with more unanswered requests is not read until some have been answered. */
const MOST_AT_EASE = 4
/** A connection with more is closed. Beyond MOST_AT_EASE come those that were read at once. */
const MAX_UNANSWERED = 32

/**
 * Bounds the requests that a connection sends before it has read the answers to earlier ones. All of them are worked on
 * at once, and each answer stays in memory until those before it have been read. Call it before other hooks are added.
 */
export const boundPipelining = (app: App): void => {
  const unanswered = new WeakMap<Socket, number>()

  app.addHook("onRequest", ({ raw: { socket } }, { raw: response }, done) => {
    // More of what arrived before it was closed.
    if (socket.destroyed) return
    const count = (unanswered.get(socket) ?? 0) + 1
    if (count > MAX_UNANSWERED) return void socket.destroy()
    unanswered.set(socket, count)
    if (count > MOST_AT_EASE) socket.pause()
    response.once("close", () => {
      const left = (unanswered.get(socket) ?? 1) - 1
      unanswered.set(socket, left)
      if (left === MOST_AT_EASE) socket.resume()
    })
    done()
  })
}
