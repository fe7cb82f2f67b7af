import * as Effect from "effect/Effect"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import { Database } from "#src/db/postgres/Database.ts"

/** Notifies readers of the log about new events after the commit. */
export const announceAfterCommit = Effect.fnUntraced(function* (appId: string, sessionId: string, cursor: number) {
  const [{ afterCommit }, signals] = [yield* Database, yield* LogSignals]
  yield* afterCommit(() => signals.announce([{ appId, sessionId, cursor }], true))
})
