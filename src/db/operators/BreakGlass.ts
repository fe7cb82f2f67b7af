import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { credentialOf, type Operator } from "#src/accounts/Operator.ts"
import { auditing } from "#src/db/tenancy/auditLog.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

const MINUTES = 15

/**
 * Access of owners to what was said in a session. They give a reason, and the entry in the audit log is what opens the
 * content: of that session, for the credential that they gave it with, for 15 minutes.
 */
export class BreakGlass extends Context.Service<
  BreakGlass,
  {
    /** Opens the content for the current actor. Returns until when. Undefined: there is no such session. */
    readonly open: (sessionId: string, reason: string) => Effect.Effect<Date | undefined, DatabaseError>
    /** Until when an operator may read the content of a session. Null: they may not. */
    readonly mayReadContent: (operator: Operator, sessionId: string) => Effect.Effect<Date | null, DatabaseError>
  }
>()("src/db/operators/BreakGlass") {
  static readonly layer = Layer.effect(
    BreakGlass,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const record = auditing(database)

      const open = Effect.fnUntraced(function* (sessionId: string, reason: string) {
        const [session] = yield* query<Array<{ app_id: string; until: Date }>>(
          (sql) => sql`
          select app_id, now() + ${MINUTES}::int * interval '1 minute' as until
          from sessions where session_id = ${sessionId}`
        )
        if (session === undefined) return undefined
        const { app_id: appId, until } = session
        yield* record({ action: "session.content_opened", appId, subject: sessionId, detail: { reason, until } })
        return until
      }, transaction)

      return BreakGlass.of({
        open,
        mayReadContent: (operator, sessionId) =>
          operator.role !== "owner"
            ? Effect.succeed(null)
            : query<Array<{ until: Date | null }>>(
                (sql) => sql`
                select max(at) + ${MINUTES}::int * interval '1 minute' as until from audit_log
                where subject = ${sessionId} and action = 'session.content_opened' and actor_kind = 'operator'
                  and credential = ${credentialOf(operator)} and at > now() - ${MINUTES}::int * interval '1 minute'`
              ).pipe(Effect.map(([row]) => row?.until ?? null))
      })
    })
  )
}
