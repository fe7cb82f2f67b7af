import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Database } from "./Database.ts"
import type { SealedColumn } from "./sealedColumns.ts"
import { open, seal, type SecretsKey, type SecretUnreadable } from "./secretsCipher.ts"

/** The key that this process encrypts with, and all keys that it can decrypt with: two during a rotation. */
export class SecretsKeys extends Context.Service<
  SecretsKeys,
  {
    readonly sealing: SecretsKey
    readonly opening: ReadonlyArray<SecretsKey>
  }
>()("src/db/SecretsKeys") {}

/** The database was initialized with another key. */
export class SecretsKeyMismatch extends Schema.TaggedError<SecretsKeyMismatch>()("SecretsKeyMismatch", {}) {
  override get message() {
    return (
      "SECRETS_KEY: does not match this database, whose secrets are stored under another key: give that key (in " +
      "development it is in secrets.key in DATA_DIR)"
    )
  }
}

const CHECK: SealedColumn = { table: "secrets_check", key: ["singleton"], column: "sealed" }
const CHECK_ROW = ["true"]

/** Whether one of these keys is that of the database with this check value. */
export const opensCheck = (keys: ReadonlyArray<SecretsKey>, sealed: Uint8Array) =>
  Effect.isSuccess(open(keys, CHECK, CHECK_ROW, sealed))

/** The check value under this key. */
export const sealedCheck = (key: SecretsKey): Buffer => seal(key, CHECK, CHECK_ROW, Redacted.make("troupe"))

/**
 * Secrets at rest (delivery.md 5). What `seal` returns is bound to the column and row that it names, and cannot be
 * decrypted elsewhere.
 */
export class Secrets extends Context.Service<
  Secrets,
  {
    readonly seal: (column: SealedColumn, row: ReadonlyArray<string>, secret: Redacted.Redacted<string>) => Buffer
    readonly open: (
      column: SealedColumn,
      row: ReadonlyArray<string>,
      sealed: Uint8Array
    ) => Effect.Effect<Redacted.Redacted<string>, SecretUnreadable>
  }
>()("src/db/postgres/Secrets") {
  /** Fails if the database belongs to another key. The first key that is used becomes the database's key. */
  static readonly layer = Layer.effect(
    Secrets,
    Effect.gen(function* () {
      const { sealing, opening } = yield* SecretsKeys
      const { query } = yield* Database
      yield* query(
        (sql) => sql`insert into secrets_check (sealed) values (${sealedCheck(sealing)}) on conflict do nothing`
      )
      const [row] = yield* query<Array<{ sealed: Buffer }>>((sql) => sql`select sealed from secrets_check`)
      yield* open(opening, CHECK, CHECK_ROW, row?.sealed ?? Buffer.alloc(0)).pipe(
        Effect.mapError(() => new SecretsKeyMismatch())
      )
      return Secrets.of({
        seal: (column, row, secret) => seal(sealing, column, row, secret),
        open: (column, row, sealed) => open(opening, column, row, sealed)
      })
    })
  )
}
