import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as check from "./checks.ts"
import { text } from "./text.ts"

const env = Config.all({
  MESSAGES_PER_MINUTE: text("MESSAGES_PER_MINUTE", "600"),
  REQUESTS_PER_MINUTE: text("REQUESTS_PER_MINUTE", "12000"),
  STREAMS_PER_APP: text("STREAMS_PER_APP", "1000"),
  PUBLIC_REQUESTS_PER_MINUTE: text("PUBLIC_REQUESTS_PER_MINUTE", "600"),
  COPY_STALL_SECONDS: text("COPY_STALL_SECONDS", "30")
})

export const readLimits = Effect.gen(function* () {
  const e = yield* env
  return {
    /** How many messages and requests an app may send per minute, unless it has its own limit. */
    rates: {
      messages: yield* check.whole("MESSAGES_PER_MINUTE", e.MESSAGES_PER_MINUTE, 1, 1_000_000_000),
      requests: yield* check.whole("REQUESTS_PER_MINUTE", e.REQUESTS_PER_MINUTE, 1, 1_000_000_000)
    },
    /** Per process: streams and waiting polls of an app, and requests without a key per address and minute. */
    perProcess: {
      streamsPerApp: yield* check.whole("STREAMS_PER_APP", e.STREAMS_PER_APP, 1, 1_000_000),
      publicRequests: yield* check.whole("PUBLIC_REQUESTS_PER_MINUTE", e.PUBLIC_REQUESTS_PER_MINUTE, 1, 1_000_000_000)
    },
    /** How long a backup, a restore or a move may stand still. */
    copyStall: yield* check.seconds("COPY_STALL_SECONDS", e.COPY_STALL_SECONDS)
  }
})
