import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { credentialOf } from "#src/accounts/Operator.ts"
import { OperatorWatch } from "#src/accounts/OperatorWatch.ts"
import { openStream } from "#src/http/server/eventStream.ts"
import { HeldBytes } from "#src/http/server/limits/HeldBytes.ts"
import { OpenReads } from "#src/http/server/limits/OpenReads.ts"
import { OPERATORS } from "#src/http/server/limits/Owner.ts"
import type { HandlerError } from "#src/http/server/bridge.ts"
import type { HandlerServices } from "#src/http/server/Server.ts"
import type { Html } from "#src/http/server/page.ts"
import type { FastifyReply } from "fastify"

/** A comment after this many looks without a change, so that proxies keep the connection. */
const LOOKS_PER_COMMENT = 4
/** As long as the streams of events. Then the browser connects again. */
const MOST_SECONDS = 300
const RETRY_MS = { least: 1000, spread: 2000 }

const frame = (html: Html) =>
  `${html.text
    .split("\n")
    .map((line) => `data: ${line}`)
    .join("\n")}\n\n`

/**
 * Sends a part of a screen whenever it has changed, until the reader leaves, their session or token ends, or the server
 * stops. `everySeconds`: how often an open screen looks for changes.
 */
export const openLive = (
  reply: FastifyReply,
  look: Effect.Effect<Html, HandlerError, HandlerServices>,
  { everySeconds, stopping }: { readonly everySeconds: number; readonly stopping: Effect.Effect<void> }
) => {
  const credential = credentialOf(reply.request.operator)
  const send = Effect.gen(function* () {
    const { ended } = yield* OperatorWatch
    const update = yield* HeldBytes.useSync(({ watch }) => watch(OPERATORS, reply.raw))
    const write = (text: string) => {
      reply.raw.write(text, update)
      update()
    }
    let shown = yield* look
    openStream(reply, RETRY_MS.least + (yield* Random.nextIntBetween(0, RETRY_MS.spread)))
    write(frame(shown))
    const follow = Effect.gen(function* () {
      for (let looks = 1; looks <= MOST_SECONDS / everySeconds; looks++) {
        yield* Effect.sleep(everySeconds * 1000)
        // A reader that does not read gets no more until it does.
        if (reply.raw.writableNeedDrain) continue
        const now = yield* look
        if (now.text !== shown.text) write(frame(now))
        else if (looks % LOOKS_PER_COMMENT === 0) write(": \n\n")
        shown = now
      }
    })
    yield* follow.pipe(
      Effect.raceFirst(stopping),
      Effect.raceFirst(ended(credential)),
      Effect.ensuring(Effect.sync(() => reply.raw.end()))
    )
  })
  return Effect.acquireUseRelease(
    OpenReads.use((reads) => reads.openScreen(credential)),
    () => send,
    (leave) => Effect.sync(leave)
  )
}
