import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { newId } from "#pipeline/domain/Id.ts"
import { Storage, type StorageFailure } from "#src/storage/Storage.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { discardObjects } from "./discardObjects.ts"

/** How long content may exist without a row that refers to it: longer than any request or job takes. */
const ORPHANED_AFTER = "1 hour"
/** Maximum number of objects per round. */
const PER_ROUND = 200

/**
 * Objects in the storage, and whether they should stay there. Content is first stored, and then kept by the transaction
 * that writes the row which refers to it. So a crash in between leaves nothing visible, and the sweep removes the rest.
 */
export class StoredObjects extends Context.Service<
  StoredObjects,
  {
    /**
     * Stores content temporarily and returns its key. Must not be called within a transaction, because a rollback would
     * lose the record of the stored object.
     */
    readonly put: (appId: string, content: Uint8Array) => Effect.Effect<string, StorageFailure>
    /** Makes it permanent. Call it in the transaction that refers to it. */
    readonly keep: (appId: string, objectKey: string) => Effect.Effect<void, DatabaseError>
    /** Null: it does not exist. */
    readonly get: (objectKey: string) => Effect.Effect<Uint8Array | null, StorageFailure>
    /** Marks it as no longer needed. Call it in the transaction that removes the reference. */
    readonly discard: (appId: string, objectKeys: ReadonlyArray<string>) => Effect.Effect<void, DatabaseError>
    /** Removes discarded objects, and those that were never kept. */
    readonly sweep: Effect.Effect<void, DatabaseError>
  }
>()("src/db/character/StoredObjects") {
  static readonly layer = Layer.effect(
    StoredObjects,
    Effect.gen(function* () {
      const { query } = yield* Database
      const storage = yield* Storage

      const remove = Effect.fnUntraced(
        function* ({ app_id: appId, object_key: key }: { readonly app_id: string; readonly object_key: string }) {
          yield* storage.remove(key)
          yield* query(
            (sql) =>
              sql`delete from stored_objects where app_id = ${appId} and object_key = ${key} and status = 'discarded'`
          )
        },
        Effect.catch((error) => Effect.logWarning("stored object could not be deleted", { reason: error.message }))
      )

      return StoredObjects.of({
        put: Effect.fnUntraced(function* (appId, content) {
          const key = `${appId}/${newId("obj")}`
          yield* query((sql) => sql`insert into stored_objects (app_id, object_key) values (${appId}, ${key})`)
          yield* storage.put(key, content)
          return key
        }),
        keep: Effect.fnUntraced(function* (appId, objectKey) {
          const kept = yield* query(
            (sql) => sql`
          update stored_objects set status = 'kept', changed_at = now()
            where app_id = ${appId} and object_key = ${objectKey} and status = 'pending' returning 1`
          )
          if (kept.length === 0) return yield* Effect.die(new Error("a content that was not kept in time"))
        }),
        get: storage.get,
        discard: Effect.fnUntraced(function* (appId, objectKeys) {
          if (objectKeys.length === 0) return
          yield* query((sql) => discardObjects(sql, appId, sql`select unnest(${[...objectKeys]}::text[])`))
        }),
        sweep: Effect.gen(function* () {
          yield* query(
            (sql) =>
              sql`update stored_objects set status = 'discarded', changed_at = now() where status = 'pending'
                and changed_at < now() - ${ORPHANED_AFTER}::interval`
          )
          const gone = yield* query<Array<{ app_id: string; object_key: string }>>(
            (sql) => sql`
          select app_id, object_key from stored_objects where status = 'discarded' order by changed_at
            limit ${PER_ROUND}`
          )
          yield* Effect.forEach(gone, remove, { discard: true })
        })
      })
    })
  )
}
