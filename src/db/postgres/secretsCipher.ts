import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto"
import type { SealedColumn } from "./sealedColumns.ts"

/** A master key for secrets at rest: 32 bytes, and an id derived from them that reveals nothing about them. */
export interface SecretsKey {
  readonly id: Buffer
  readonly bytes: Redacted.Redacted<Buffer>
}

/**
 * `unknown_key`: encrypted with a key that this process does not have. `altered`: changed, truncated, or moved here
 * from another row or column.
 */
export class SecretUnreadable extends Schema.TaggedError<SecretUnreadable>()("SecretUnreadable", {
  reason: Schema.Literals(["unknown_key", "altered"]),
  table: Schema.String,
  column: Schema.String,
  row: Schema.Array(Schema.String)
}) {
  override get message() {
    const why =
      this.reason === "unknown_key" ? "is sealed under a key that is not given" : "was altered or comes from elsewhere"
    return `${this.table}.${this.column} of ${this.row.join("/")} ${why}`
  }
}

/*
 * An encrypted secret: version 1, key id 8, nonce 12, ciphertext, tag 16 bytes. AES-256-GCM with a random nonce. Table,
 * column and row are additional authenticated data, so that a value can only be decrypted where it was encrypted.
 */
const VERSION = 1
const ID_BYTES = 8
const HEADER_BYTES = 1 + ID_BYTES
const NONCE_BYTES = 12
const TAG_BYTES = 16
const CIPHER = "aes-256-gcm"

export const secretsKey = (bytes: Redacted.Redacted<Buffer>): SecretsKey => ({
  id: createHmac("sha256", Redacted.value(bytes)).update("troupe secrets key id").digest().subarray(0, ID_BYTES),
  bytes
})

const bind = (header: Uint8Array, { table, column }: SealedColumn, row: ReadonlyArray<string>) =>
  Buffer.concat([header, Buffer.from(JSON.stringify([table, column, row]))])

export const seal = (
  key: SecretsKey,
  column: SealedColumn,
  row: ReadonlyArray<string>,
  secret: Redacted.Redacted<string>
): Buffer => {
  const header = Buffer.concat([Buffer.from([VERSION]), key.id])
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, Redacted.value(key.bytes), nonce, { authTagLength: TAG_BYTES }).setAAD(
    bind(header, column, row)
  )
  const text = [cipher.update(Redacted.value(secret), "utf8"), cipher.final()]
  return Buffer.concat([header, nonce, ...text, cipher.getAuthTag()])
}

export const open = (
  keys: ReadonlyArray<SecretsKey>,
  column: SealedColumn,
  row: ReadonlyArray<string>,
  sealed: Uint8Array
): Effect.Effect<Redacted.Redacted<string>, SecretUnreadable> => {
  const unreadable = (reason: SecretUnreadable["reason"]) =>
    new SecretUnreadable({ reason, table: column.table, column: column.column, row })
  const bytes = Buffer.from(sealed)
  if (bytes.length < HEADER_BYTES + NONCE_BYTES + TAG_BYTES || bytes[0] !== VERSION)
    return Effect.fail(unreadable("altered"))
  const header = bytes.subarray(0, HEADER_BYTES)
  const key = keys.find(({ id }) => id.equals(header.subarray(1)))
  if (key === undefined) return Effect.fail(unreadable("unknown_key"))
  return Effect.try({
    try: () => {
      const nonce = bytes.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES)
      const decipher = createDecipheriv(CIPHER, Redacted.value(key.bytes), nonce, { authTagLength: TAG_BYTES })
        .setAAD(bind(header, column, row))
        .setAuthTag(bytes.subarray(-TAG_BYTES))
      const text = [decipher.update(bytes.subarray(HEADER_BYTES + NONCE_BYTES, -TAG_BYTES)), decipher.final()]
      return Redacted.make(Buffer.concat(text).toString("utf8"))
    },
    catch: () => unreadable("altered")
  })
}
