import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { FastifyReply } from "fastify"
import { largeBodyBusy } from "#src/http/server/errors.ts"

/** Bodies up to this size do not wait for others. Also the maximum for a demo key. */
export const LARGE_BYTES = 1024 * 1024
/** How many large bodies of one app may wait unread for the previous one, and how long. */
const MAX_WAITING = 4
const MAX_WAIT = "10 seconds"

interface Line {
  readonly semaphore: Semaphore.Semaphore
  inIt: number
}

/**
 * Admits one large body per app at a time in this process, from before it is read until it is answered. The next ones
 * wait unread, so they use no memory. If too many wait, or for too long, they get 429 rate_limited.
 */
export const makeLargeBodies = () => {
  const lines = new Map<string, Line>()

  const leave = (subject: string, line: Line) => {
    if (--line.inIt === 0) lines.delete(subject)
  }
  /** Call it for a request before its body is read. The end of the answer admits the next one. */
  return (subject: string, reply: FastifyReply) =>
    Effect.suspend(() => {
      const line = lines.get(subject) ?? { semaphore: Semaphore.makeUnsafe(1), inIt: 0 }
      if (line.inIt > MAX_WAITING) return Effect.fail(largeBodyBusy)
      lines.set(subject, line)
      line.inIt++
      return line.semaphore.take(1).pipe(
        Effect.timeoutOrElse({ duration: MAX_WAIT, orElse: () => Effect.fail(largeBodyBusy) }),
        Effect.onExit((exit) =>
          Effect.sync(() => {
            if (exit._tag === "Failure") return leave(subject, line)
            const end = () => {
              line.semaphore.release(1).pipe(Effect.runFork)
              leave(subject, line)
            }
            if (reply.raw.destroyed) end()
            else reply.raw.once("close", end)
          })
        )
      )
    })
}
