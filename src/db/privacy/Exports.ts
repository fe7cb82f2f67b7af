import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { newId } from "#pipeline/domain/Id.ts"
import { auditing } from "#src/db/tenancy/auditLog.ts"
import { StoredObjects } from "#src/db/character/StoredObjects.ts"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"
import { type ClaimedExport, claimExport, type Export, exportColumns, isMine } from "./exportStatements.ts"
import { dropExports } from "./dropExports.ts"

/** How long a ZIP can be downloaded. Not long, because its contents go out of date. */
const READY_FOR = "1 hour"
/** How long a failure is shown. After that, the next request starts a new export. */
const FAILED_FOR = "10 minutes"
/** How long after it expires a ZIP is deleted, so that a download in progress can finish. */
const REMOVED_AFTER = "15 minutes"
/** Maximum number of exports of an app that are being made or can be downloaded. */
export const MAX_OF_APP = 100

/** The app has reached its maximum number of exports. */
export class ExportsLimited extends Schema.TaggedError<ExportsLimited>()("ExportsLimited", {}) {}
/** Another worker has claimed the export, or the person was erased. */
export class ExportLost extends Schema.TaggedError<ExportLost>()("ExportLost", {}) {}

/** Exports of all data of a person. Each person has at most one, which is deleted after it expires. */
export class Exports extends Context.Service<
  Exports,
  {
    /** The person's current export, or a new one. Undefined: there is no such end-user. */
    readonly request: (
      appId: string,
      externalUserRef: string
    ) => Effect.Effect<Export | undefined, ExportsLimited | DatabaseError>
    /** Claims an export for a registered worker. Undefined: none is waiting. */
    readonly claim: (
      owner: string,
      except: ReadonlyArray<string>
    ) => Effect.Effect<ClaimedExport | undefined, DatabaseError>
    /** Adds the next part of the ZIP, which is stored under this key. */
    readonly addPart: (
      claimed: ClaimedExport,
      objectKey: string,
      sizeBytes: number
    ) => Effect.Effect<void, ExportLost | DatabaseError>
    readonly finish: (claimed: ClaimedExport) => Effect.Effect<void, DatabaseError>
    readonly fail: (claimed: ClaimedExport, errorCode: string) => Effect.Effect<void, DatabaseError>
    /** Releases the export. Another worker starts it again. `stopped`: the attempt does not count. */
    readonly leave: (claimed: ClaimedExport, stopped: boolean) => Effect.Effect<void, DatabaseError>
    /** Deletes expired exports. */
    readonly sweep: Effect.Effect<void, DatabaseError>
  }
>()("src/db/privacy/Exports") {
  static readonly layer = Layer.effect(
    Exports,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const objects = yield* StoredObjects
      const record = auditing(database)

      const find = (sql: Sql, appId: string, externalUserRef: string) =>
        sql`select ${exportColumns(sql)} from exports
          where app_id = ${appId} and external_user_ref = ${externalUserRef}`

      /** Drops an export that has expired, or that contains scores although the app has since opted out of them. */
      const dropStale = (sql: Sql, appId: string, externalUserRef: string) =>
        dropExports(
          sql,
          sql`app_id = ${appId} and external_user_ref = ${externalUserRef} and (expires_at < now()
            or status = 'ready' and with_scores and not (select expose_relational_numerics from apps
              where app_id = ${appId}))`
        )

      const begin = Effect.fnUntraced(function* (appId: string, externalUserRef: string) {
        // Serializes creation, so that the limit is exact.
        yield* query((sql) => sql`select pg_advisory_xact_lock(hashtextextended(${`exports ${appId}`}, 0))`)
        const [{ there } = { there: 0 }] = yield* query<Array<{ there: number }>>(
          (sql) => sql`
          select count(*)::int as there from exports
            where app_id = ${appId} and (expires_at is null or expires_at >= now())`
        )
        if (there >= MAX_OF_APP) return yield* new ExportsLimited()
        yield* query(
          (sql) => sql`
          insert into exports (app_id, export_id, external_user_ref)
            values (${appId}, ${newId("exp")}, ${externalUserRef})`
        )
        yield* record({ action: "end_user.exported", appId, subject: externalUserRef })
        yield* query((sql) => sql`select graphile_worker.add_job('exports', '{}'::json)`)
      })

      const request = Effect.fnUntraced(function* (appId: string, externalUserRef: string) {
        // A person whose erasure has begun cannot be exported.
        const [person] = yield* query(
          (sql) => sql`
          select 1 from end_users u where app_id = ${appId} and external_user_ref = ${externalUserRef}
            and not exists (select from erasures e where e.app_id = u.app_id
              and e.external_user_ref = u.external_user_ref and e.status <> 'completed') for no key update`
        )
        if (person === undefined) return undefined
        yield* query((sql) => dropStale(sql, appId, externalUserRef))
        const [there] = yield* query<Array<Export>>((sql) => find(sql, appId, externalUserRef))
        if (there !== undefined) return there
        yield* begin(appId, externalUserRef)
        return (yield* query<Array<Export>>((sql) => find(sql, appId, externalUserRef)))[0]
      }, transaction)

      const claim = Effect.fnUntraced(function* (owner: string, except: ReadonlyArray<string>) {
        const [claimed] = yield* query<Array<ClaimedExport & { left: ReadonlyArray<string> }>>((sql) =>
          claimExport(sql, owner, except)
        )
        if (claimed === undefined) return undefined
        const { left, ...mine } = claimed
        yield* objects.discard(mine.appId, left)
        return mine
      }, transaction)

      const addPart = Effect.fnUntraced(function* (claimed: ClaimedExport, objectKey: string, sizeBytes: number) {
        const mine = yield* query(
          (sql) => sql`
          update exports set object_keys = object_keys || ${objectKey}::text, size_bytes = size_bytes + ${sizeBytes}
            where ${isMine(sql, claimed)} returning 1`
        )
        if (mine.length === 0) return yield* new ExportLost()
        yield* objects.keep(claimed.appId, objectKey)
      }, transaction)

      const fail = Effect.fnUntraced(function* (claimed: ClaimedExport, errorCode: string) {
        const [failed] = yield* query<Array<{ keys: ReadonlyArray<string> }>>(
          (sql) => sql`select to_json(object_keys) as keys from exports where ${isMine(sql, claimed)} for update`
        )
        if (failed === undefined) return
        yield* objects.discard(claimed.appId, failed.keys)
        yield* query(
          (sql) => sql`
          update exports set status = 'failed', error_code = ${errorCode}, owner = null, object_keys = '{}',
            size_bytes = 0, finished_at = now(), expires_at = now() + ${FAILED_FOR}::interval
          where ${isMine(sql, claimed)}`
        )
      }, transaction)

      return Exports.of({
        request,
        claim,
        addPart,
        fail,
        finish: (claimed) =>
          Effect.asVoid(
            query(
              (sql) => sql`
            update exports x set status = 'ready', owner = null, finished_at = now(),
              expires_at = now() + ${READY_FOR}::interval, with_scores = with_scores
                or (select expose_relational_numerics from apps a where a.app_id = x.app_id)
            where ${isMine(sql, claimed)}`
            )
          ),
        leave: (claimed, stopped) =>
          Effect.asVoid(
            query(
              (sql) => sql`
            update exports set owner = null, attempts = attempts - ${stopped}::boolean::int
            where ${isMine(sql, claimed)}`
            )
          ),
        sweep: Effect.asVoid(query((sql) => dropExports(sql, sql`expires_at < now() - ${REMOVED_AFTER}::interval`)))
      })
    })
  )
}
