import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DatabaseError } from "#src/db/postgres/Database.ts"

/** The storage did not do what it was asked. Holds words of ours only: what a storage says may name its keys. */
export class StorageError extends Schema.TaggedError<StorageError>()("StorageError", { code: Schema.String }) {
  override get message() {
    return `storage: ${this.code}`
  }
}

export type StorageFailure = StorageError | DatabaseError

/** Port: where contents lie that are no rows. Keys are made by us, `app/object`; nobody else has a say in them. */
export class Storage extends Context.Service<
  Storage,
  {
    readonly kind: "database" | "folder" | "s3"
    /** All of it or nothing. What is there under the key already is replaced. */
    readonly put: (key: string, content: Uint8Array) => Effect.Effect<void, StorageFailure>
    /** Null: there is nothing. */
    readonly get: (key: string) => Effect.Effect<Uint8Array | null, StorageFailure>
    /** Of what is not there, too. */
    readonly remove: (key: string) => Effect.Effect<void, StorageFailure>
  }
>()("src/storage/Storage") {}

const KEY = /^[A-Za-z0-9_]{1,64}\/[A-Za-z0-9_]{1,64}$/

/** The two names of a key. One of any other form was not made by us, and is a mistake of ours. */
export const namesOf = (key: string): readonly [app: string, object: string] => {
  const [app = "", object = ""] = key.split("/")
  if (!KEY.test(key)) throw new Error("not a key of the storage")
  return [app, object]
}
