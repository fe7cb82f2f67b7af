import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { erase } from "#src/db/postgres/catalogue/erase.ts"
import type { Tables } from "#src/db/postgres/catalogue/Tables.ts"
import { eraseSessions } from "./eraseSessions.ts"

/** How long after its last key has expired a sandbox is deleted. By then, running work has ended. */
const AFTER = "10 minutes"
/** Sandboxes per round. */
const PER_ROUND = 100
/** Sessions erased per transaction. */
const SESSIONS_PER_STEP = 5

/** Demo apps whose keys have all expired. */
export class ExpiredSandboxes extends Context.Service<
  ExpiredSandboxes,
  {
    /** The ids of the next apps to delete. */
    readonly due: Effect.Effect<ReadonlyArray<string>, DatabaseError>
    /**
     * Deletes the app with its contents and its account, one transaction per step. After a crash it is still due. Its
     * bots must be detached.
     */
    readonly erase: (appId: string) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/privacy/ExpiredSandboxes") {
  static readonly layer = Layer.effect(
    ExpiredSandboxes,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database
      const within = Effect.provideContext(yield* Effect.context<Database | Tables>())

      const due = query<Array<{ app_id: string }>>(
        (sql) => sql`
      select a.app_id from accounts o join apps a using (account_id)
      where o.kind = 'demo' and not exists (
        select from api_keys k where k.app_id = a.app_id and k.revoked_at is null and (k.expires_at is null
          or k.expires_at > now() - ${AFTER}::interval)
      ) order by a.app_id limit ${PER_ROUND}`
      ).pipe(Effect.map((rows) => rows.map((row) => row.app_id)))

      const eraseSome = Effect.fnUntraced(
        function* (appId: string) {
          yield* query(
            (sql) =>
              sql`select 1 from allowances where app_id = ${appId} order by kind, external_user_ref for no key update`
          )
          const some = yield* query<Array<{ session_id: string }>>(
            (sql) =>
              sql`
                select session_id from sessions where app_id = ${appId} order by session_id limit ${SESSIONS_PER_STEP}`
          )
          yield* eraseSessions(
            appId,
            some.map((row) => row.session_id)
          )
          return some.length
        },
        transaction,
        within
      )

      const eraseRest = Effect.fnUntraced(
        function* (appId: string) {
          const [app] = yield* query<Array<{ account_id: string }>>(
            (sql) => sql`select account_id from apps where app_id = ${appId} for update`
          )
          if (app === undefined) return
          yield* erase("app", { appId })
          yield* query((sql) => sql`delete from accounts where account_id = ${app.account_id} and kind = 'demo'`)
        },
        transaction,
        within
      )

      return ExpiredSandboxes.of({
        due,
        erase: Effect.fnUntraced(function* (appId: string) {
          while ((yield* eraseSome(appId)) > 0);
          yield* eraseRest(appId)
        })
      })
    })
  )
}
