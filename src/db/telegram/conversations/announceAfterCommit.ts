import * as Effect from "effect/Effect"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import { Database } from "#src/db/postgres/Database.ts"

/** Tells readers of the log what is new on it, once that is committed. */
export const announceAfterCommit = Effect.fnUntraced(function* (sessionId: string, cursor: number) {
  const [{ afterCommit }, signals] = [yield* Database, yield* LogSignals]
  yield* afterCommit(() => signals.announce([{ sessionId, cursor }], true))
})
