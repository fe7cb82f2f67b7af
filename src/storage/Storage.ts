import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DatabaseError } from "#src/db/postgres/Database.ts"

/**
 * The storage did not do what was requested. Contains only our own words, because a storage service's error may name
 * keys.
 */
export class StorageError extends Schema.TaggedError<StorageError>()("StorageError", { code: Schema.String }) {
  override get message() {
    return `storage: ${this.code}`
  }
}

export type StorageFailure = StorageError | DatabaseError

/** Port: stores contents that are not rows. We generate all keys, as `app/object`. */
export class Storage extends Context.Service<
  Storage,
  {
    readonly kind: "database" | "folder" | "s3"
    /** Atomic. Replaces an existing object under the key. */
    readonly put: (key: string, content: Uint8Array) => Effect.Effect<void, StorageFailure>
    /** Null: there is no such object. */
    readonly get: (key: string) => Effect.Effect<Uint8Array | null, StorageFailure>
    /** Succeeds if there is no such object. */
    readonly remove: (key: string) => Effect.Effect<void, StorageFailure>
  }
>()("src/storage/Storage") {}

const KEY = /^[A-Za-z0-9_]{1,64}\/[A-Za-z0-9_]{1,64}$/

/** The two parts of a key. A key of any other form is a bug, because we generate all keys. */
export const namesOf = (key: string): readonly [app: string, object: string] => {
  const [app = "", object = ""] = key.split("/")
  if (!KEY.test(key)) throw new Error("not a key of the storage")
  return [app, object]
}
