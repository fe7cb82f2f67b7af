import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type { Intent, NotIntended } from "../Channel.ts"

/** A text, or the stream of an upload. */
export type RequestBody = string | AsyncIterable<Uint8Array>
export type HoldBody = (body: RequestBody) => AsyncIterable<Uint8Array>

/** Opened or closed once. The body of one request is behind it. */
const makeGate = () => {
  const asked = Promise.withResolvers<void>()
  const decided = Promise.withResolvers<void>()
  let state: "held" | "open" | "closed" = "held"
  const decide = (next: "open" | "closed") => {
    if (state === "held") state = next
    decided.resolve()
  }
  return {
    /** The network asks for the body: the request has a connection now, and the first bytes are to be written. */
    asked: asked.promise,
    isOpen: () => state === "open",
    open: () => decide("open"),
    close: () => decide("closed"),
    hold: async function* (body: RequestBody): AsyncGenerator<Uint8Array> {
      asked.resolve()
      await decided.promise
      if (state !== "open") throw new Error("the request must not be sent")
      if (typeof body === "string") yield Buffer.from(body)
      else yield* body
    }
  }
}

/**
 * Makes a call whose body is held back until the intent is on record. The intent is recorded only when the network asks
 * for the body, so nothing that comes before (a free connection, a name look-up, TLS) is between the two. The receiver
 * cannot act on a request without its body. `unsent` is what a failure means if the body was still held back then. In
 * this case no intent is left on record.
 */
export const holdRequest = <A, E>(
  intent: Intent,
  call: (hold: HoldBody) => Effect.Effect<A, E>,
  unsent: (error: E) => E
): Effect.Effect<A, E | NotIntended> =>
  Effect.gen(function* () {
    const { asked, isOpen, open, close, hold } = makeGate()
    const recording = yield* Effect.promise(() => asked).pipe(
      Effect.andThen(
        intent.record.pipe(
          Effect.andThen(Effect.sync(open)),
          Effect.andThen(Effect.suspend(() => (isOpen() ? Effect.void : intent.withdraw))),
          Effect.uninterruptible
        )
      ),
      Effect.ensuring(Effect.sync(close)),
      Effect.forkChild
    )
    return yield* call(hold).pipe(
      Effect.onExit(() => Effect.andThen(Effect.sync(close), Fiber.interrupt(recording))),
      Effect.catch((error) =>
        Effect.flatMap(Fiber.await(recording), (recorded) =>
          Effect.fail(Option.getOrElse(Exit.findErrorOption(recorded), () => (isOpen() ? error : unsent(error))))
        )
      )
    )
  })
