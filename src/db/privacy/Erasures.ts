import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { newId } from "#pipeline/domain/Id.ts"
import { auditing } from "#src/db/tenancy/auditLog.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import type { Tables } from "#src/db/postgres/catalogue/Tables.ts"
import { dropExportOf } from "./dropExports.ts"
import { blankPerson, eraseRest } from "./erasePerson.ts"
import { eraseSessions } from "./eraseSessions.ts"
import { lockAllowancesOf } from "#src/db/billing/moneyStatements.ts"

/** Sessions that one transaction erases. */
const SESSIONS_A_STEP = 10
/** Erasures of one round. */
const A_ROUND = 100

export interface Erasure {
  readonly erasure_id: string
  readonly status: "queued" | "running" | "completed"
  readonly created_at: Date
  readonly completed_at: Date | null
}

interface Open {
  readonly app_id: string
  readonly erasure_id: string
}

/**
 * Erasing end-users: what they have said, what was remembered of it, where it was delivered, and what the app was told
 * of them. It takes what there is when it is asked for; who comes back meanwhile begins anew. A step is a transaction,
 * so that whoever dies in between leaves the rest to the next round. What stays is money, which the ledger books by
 * session, and what of the account's changes the audit log tells.
 */
export class Erasures extends Context.Service<
  Erasures,
  {
    /** The receipt; of the erasure that is under way, if there is one. Undefined: no such end-user. */
    readonly begin: (appId: string, externalUserRef: string) => Effect.Effect<Erasure | undefined, DatabaseError>
    readonly get: (appId: string, erasureId: string) => Effect.Effect<Erasure | undefined, DatabaseError>
    /** Brings what is open to its end. */
    readonly work: Effect.Effect<void, DatabaseError>
  }
>()("src/db/privacy/Erasures") {
  static readonly layer = Layer.effect(
    Erasures,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const within = Effect.provideContext(yield* Effect.context<Database | Tables>())
      const record = auditing(database)

      const begin = Effect.fnUntraced(
        function* (appId: string, externalUserRef: string) {
          const [person] = yield* query(
            (sql) =>
              sql`select 1 from end_users where app_id = ${appId} and external_user_ref = ${externalUserRef} for update`
          )
          if (person === undefined) return undefined
          const [open] = yield* query<Array<Erasure>>(
            (sql) => sql`
        select erasure_id, status, created_at, completed_at from erasures
          where app_id = ${appId} and external_user_ref = ${externalUserRef} and status <> 'completed'`
          )
          if (open !== undefined) return open
          const [receipt] = yield* query<[Erasure]>(
            (sql) => sql`
        insert into erasures (app_id, erasure_id, external_user_ref, created_at)
          values (${appId}, ${newId("ers")}, ${externalUserRef}, clock_timestamp())
        returning erasure_id, status, created_at, completed_at`
          )
          yield* record({ action: "end_user.erased", appId, subject: receipt.erasure_id })
          yield* blankPerson(appId, externalUserRef)
          yield* query((sql) => dropExportOf(sql, appId, externalUserRef))
          yield* query((sql) => sql`select graphile_worker.add_job('erasures', '{}'::json)`)
          return receipt
        },
        transaction,
        within
      )

      /** True: there is more to be done. */
      const step = Effect.fnUntraced(
        function* ({ app_id: appId, erasure_id: id }: Open) {
          const [erasure] = yield* query<Array<{ external_user_ref: string }>>(
            (sql) => sql`
        select external_user_ref from erasures
          where app_id = ${appId} and erasure_id = ${id} and status <> 'completed' and external_user_ref is not null
          for update skip locked`
          )
          if (erasure === undefined) return false
          const { external_user_ref: ref } = erasure
          yield* query((sql) => lockAllowancesOf(sql, appId, [ref]))
          const some = yield* query<Array<{ session_id: string }>>(
            (sql) => sql`
        select s.session_id from sessions s join erasures e on e.app_id = s.app_id
          and e.erasure_id = ${id} and s.created_at <= e.created_at
        where s.app_id = ${appId} and s.external_user_ref = ${ref} order by s.session_id limit ${SESSIONS_A_STEP}`
          )
          if (some.length > 0) {
            yield* eraseSessions(
              appId,
              some.map((row) => row.session_id)
            )
            yield* query(
              (sql) => sql`update erasures set status = 'running' where app_id = ${appId} and erasure_id = ${id}`
            )
            return true
          }
          yield* eraseRest(appId, ref)
          yield* query(
            (sql) =>
              sql`update erasures set status = 'completed', external_user_ref = null, completed_at = now()
                where app_id = ${appId} and erasure_id = ${id}`
          )
          return false
        },
        transaction,
        within
      )

      const work = Effect.gen(function* () {
        const open = yield* query<Array<Open>>(
          (sql) =>
            sql`select app_id, erasure_id from erasures where status <> 'completed' order by created_at
              limit ${A_ROUND}`
        )
        for (const erasure of open) {
          // One that cannot be now does not keep the others.
          yield* Effect.repeat(step(erasure), { while: (more) => more }).pipe(
            Effect.catchTag("DatabaseError", (error) =>
              Effect.logWarning("erasure aborted", { erasure_id: erasure.erasure_id, reason: error.message })
            )
          )
        }
      })

      return Erasures.of({
        begin,
        get: (appId, erasureId) =>
          query<Array<Erasure>>(
            (sql) => sql`
        select erasure_id, status, created_at, completed_at from erasures
          where app_id = ${appId} and erasure_id = ${erasureId}`
          ).pipe(Effect.map((rows) => rows[0])),
        work
      })
    })
  )
}
