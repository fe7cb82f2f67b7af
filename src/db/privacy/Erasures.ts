import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { newId } from "#pipeline/domain/Id.ts"
import { auditing } from "#src/db/tenancy/auditLog.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import type { Tables } from "#src/db/postgres/catalogue/Tables.ts"
import { personMark } from "#src/db/conversation/personMarks.ts"
import { dropExportOf } from "./dropExports.ts"
import { blankPerson, eraseRest } from "./erasePerson.ts"
import { eraseSessions } from "./eraseSessions.ts"
import { lockAllowancesOf } from "#src/db/billing/moneyStatements.ts"

/** Sessions erased per transaction. */
const SESSIONS_PER_STEP = 10
/** Erasures per round. */
const PER_ROUND = 100

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
 * Erases end-users: what they have said, what was remembered and delivered, and what the app has stored about them. It
 * covers what exists at the time of the request. A person who comes back in the meantime starts over. Each step is a
 * transaction, so after a crash the next round continues. What remains are the amounts in the ledger, by session, and
 * the account's changes in the audit log.
 */
export class Erasures extends Context.Service<
  Erasures,
  {
    /** The receipt, also of an erasure that is already in progress. Undefined: no such end-user. */
    readonly begin: (appId: string, externalUserRef: string) => Effect.Effect<Erasure | undefined, DatabaseError>
    readonly get: (appId: string, erasureId: string) => Effect.Effect<Erasure | undefined, DatabaseError>
    /** Completes all open erasures. */
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
        insert into erasures (app_id, erasure_id, external_user_ref, mark, created_at)
          values (${appId}, ${newId("ers")}, ${externalUserRef}, ${personMark(sql, appId, externalUserRef)},
            clock_timestamp())
        returning erasure_id, status, created_at, completed_at`
          )
          yield* record({ action: "end_user.erased", appId, subject: receipt.erasure_id })
          yield* query((sql) => blankPerson(sql, appId, externalUserRef))
          yield* query((sql) => dropExportOf(sql, appId, externalUserRef))
          yield* query((sql) => sql`select graphile_worker.add_job('erasures', '{}'::json)`)
          return receipt
        },
        transaction,
        within
      )

      /** True: there is more to do. */
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
        where s.app_id = ${appId} and s.external_user_ref = ${ref} order by s.session_id limit ${SESSIONS_PER_STEP}`
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
              sql`update erasures set status = 'completed', external_user_ref = null, completed_at = now(),
                  mark = coalesce(mark, ${personMark(sql, appId, ref)})
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
              limit ${PER_ROUND}`
        )
        for (const erasure of open) {
          // A failed erasure does not block the others.
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
