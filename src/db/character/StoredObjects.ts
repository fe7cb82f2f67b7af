import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { newId } from "#pipeline/domain/Id.ts"
import { Storage, type StorageFailure } from "#src/storage/Storage.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { discardObjects } from "./discardObjects.ts"

/** How long a content may wait for the row that shows it: longer than any request or job takes. */
const ORPHANED_AFTER = "1 hour"
/** Contents of one round. */
const A_ROUND = 200

/**
 * Contents in the storage, and whether they are to stay there. A content is put away first and kept afterwards, in the
 * transaction that writes the row which shows it: so a crash in between leaves nothing that anybody sees, and what is
 * left is swept.
 */
export class StoredObjects extends Context.Service<
  StoredObjects,
  {
    /**
     * Puts it away, for now, and gives its key. Not to be called within a transaction: who dies would forget that it is
     * there.
     */
    readonly put: (appId: string, content: Uint8Array) => Effect.Effect<string, StorageFailure>
    /** For good: within the transaction of whoever shows it. */
    readonly keep: (appId: string, objectKey: string) => Effect.Effect<void, DatabaseError>
    /** Null: it is not there. */
    readonly get: (objectKey: string) => Effect.Effect<Uint8Array | null, StorageFailure>
    /** Not needed any more: within the transaction of whoever has shown it. */
    readonly discard: (appId: string, objectKeys: ReadonlyArray<string>) => Effect.Effect<void, DatabaseError>
    /** Removes what was discarded, and what nobody has kept. */
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
          select app_id, object_key from stored_objects where status = 'discarded' order by changed_at limit ${A_ROUND}`
          )
          yield* Effect.forEach(gone, remove, { discard: true })
        })
      })
    })
  )
}
