import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import { endSessions } from "#src/db/conversation/endSessions.ts"
import { Turns } from "#src/db/conversation/Turns.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { auditing } from "#src/db/tenancy/auditLog.ts"
import type { FoundSession } from "./SessionSearch.ts"

/** The reason of a session that the operator has ended. */
const REASON = "operator"

type SessionOf = Pick<FoundSession, "app_id" | "session_id" | "status" | "open_turns">

/** What operators do to one session. */
export class SessionActions extends Context.Service<
  SessionActions,
  {
    /** Ends the turn that is being answered, or else the next one, without a reply. */
    readonly cancelTurn: (session: SessionOf, reason: string | null) => Effect.Effect<void, DatabaseError>
    /** Ends it with a `session.exited`. Waiting turns end with it. */
    readonly end: (session: SessionOf, reason: string | null) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/operators/SessionActions") {
  static readonly layer = Layer.effect(
    SessionActions,
    Effect.gen(function* () {
      const database = yield* Database
      const { transaction, afterCommit } = database
      const turns = yield* Turns
      const signals = yield* LogSignals
      const record = auditing(database)

      return SessionActions.of({
        cancelTurn: Effect.fnUntraced(function* ({ app_id: appId, session_id: sessionId, open_turns }, reason) {
          yield* turns.stop({ appId, sessionId })
          yield* record({
            appId,
            action: "session.turn_cancelled",
            subject: sessionId,
            detail: { reason, before: { open_turns } }
          })
        }, transaction),
        end: Effect.fnUntraced(function* ({ app_id: appId, session_id: sessionId, status }, reason) {
          const ended = yield* endSessions(appId, [sessionId], REASON).pipe(Effect.provideService(Database, database))
          if (ended.length === 0) return
          yield* record({
            appId,
            action: "session.ended",
            subject: sessionId,
            detail: { reason, before: { status }, after: { status: "exited" } }
          })
          yield* afterCommit(() => signals.announce(ended, true))
        }, transaction)
      })
    })
  ).pipe(Layer.provide(Turns.layer))
}
