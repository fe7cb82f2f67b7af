import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { randomBytes } from "node:crypto"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { Database } from "#src/db/postgres/Database.ts"
import { rotateSecrets } from "#src/db/postgres/rotateSecrets.ts"
import type { SealedColumn } from "#src/db/postgres/sealedColumns.ts"
import { Secrets, SecretsKeys } from "#src/db/postgres/Secrets.ts"
import { open, seal, secretsKey, type SecretsKey } from "#src/db/postgres/secretsCipher.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

const newKey = () => secretsKey(Redacted.make(randomBytes(32)))
const HOOKS: SealedColumn = { table: "hooks", key: ["app_id", "id"], column: "secret" }
const ROW = ["app_1", "chn_1"]

const outcome = (
  keys: ReadonlyArray<SecretsKey>,
  column: SealedColumn,
  row: ReadonlyArray<string>,
  sealed: Uint8Array
) =>
  Effect.runSync(
    open(keys, column, row, sealed).pipe(
      Effect.map((secret) => ({ opened: Redacted.value(secret) })),
      Effect.catch((error) => Effect.succeed({ refused: error.reason }))
    )
  )
const text = fc.string({ unit: "grapheme", maxLength: 300 })

describe("a sealed secret", () => {
  const [key, other] = [newKey(), newKey()]

  it("can be opened where it was sealed, and reveals nothing", () => {
    fc.assert(
      fc.property(text, (secret) => {
        const sealed = seal(key, HOOKS, ROW, Redacted.make(secret))
        assert.deepStrictEqual(outcome([other, key], HOOKS, ROW, sealed), { opened: secret })
        if (secret.length > 3) assert.strictEqual(sealed.indexOf(secret), -1)
      })
    )
  })

  it("is different each time", () => {
    const both = [1, 2].map(() => seal(key, HOOKS, ROW, Redacted.make("hush")).toString("hex"))
    assert.notStrictEqual(both[0], both[1])
  })

  it("cannot be opened if a bit was changed or the end is missing", () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(7), (secret, at, bit) => {
        const sealed = seal(key, HOOKS, ROW, Redacted.make(secret))
        const changed = Buffer.from(sealed)
        changed.writeUInt8(changed.readUInt8(at % changed.length) ^ (1 << bit), at % changed.length)
        assert.property(outcome([key], HOOKS, ROW, changed), "refused")
        assert.property(outcome([key], HOOKS, ROW, sealed.subarray(0, at % sealed.length)), "refused")
      })
    )
  })

  it("cannot be opened in another row, column or table", () => {
    const sealed = seal(key, HOOKS, ROW, Redacted.make("hush"))
    for (const row of [["app_2", "chn_1"], ["app_1", "chn_2"], ["app_1chn_1"], ["app_1", "chn_1", ""]]) {
      assert.deepStrictEqual(outcome([key], HOOKS, row, sealed), { refused: "altered" })
    }
    for (const column of [
      { ...HOOKS, table: "bots" },
      { ...HOOKS, column: "token" }
    ]) {
      assert.deepStrictEqual(outcome([key], column, ROW, sealed), { refused: "altered" })
    }
  })

  it("cannot be opened with another key, even one that claims to be the right one", () => {
    const sealed = seal(key, HOOKS, ROW, Redacted.make("hush"))
    assert.deepStrictEqual(outcome([other], HOOKS, ROW, sealed), { refused: "unknown_key" })
    assert.deepStrictEqual(outcome([{ id: key.id, bytes: other.bytes }], HOOKS, ROW, sealed), { refused: "altered" })
  })

  it("is not contained in the error that refuses it, and neither is the key", () => {
    const sealed = seal(key, HOOKS, ROW, Redacted.make("hush"))
    const error = Effect.runSync(Effect.flip(open([other], HOOKS, ROW, sealed)))
    assert.strictEqual(error.message, "hooks.secret of app_1/chn_1 is sealed under a key that is not given")
    assert.notMatch(JSON.stringify([error, key]), /hush|"data":\[(?:\d+,){31}/)
  })
})

describe("the key of a database", () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await createTestDatabase()
    await database.sql`create table hooks (app_id text, id text, secret bytea, primary key (app_id, id))`
  })
  afterEach(() => database.drop())

  /** The secrets of a process with these keys. The first one encrypts. */
  const having = <A, E>(
    keys: readonly [SecretsKey, ...ReadonlyArray<SecretsKey>],
    effect: Effect.Effect<A, E, Secrets | SecretsKeys | Database>
  ) =>
    Effect.runPromise(
      effect.pipe(
        Effect.provide(
          Secrets.layer.pipe(
            Layer.provideMerge(Database.layer({ url: Redacted.make(database.url), maxConnections: 4 })),
            Layer.provideMerge(Layer.succeed(SecretsKeys, { sealing: keys[0], opening: keys }))
          )
        ),
        Effect.result
      )
    )
  const start = async (...keys: readonly [SecretsKey, ...ReadonlyArray<SecretsKey>]) => {
    const result = await having(keys, Effect.void)
    return result._tag === "Success" ? "started" : result.failure.message
  }
  const save = (key: SecretsKey, id: string, secret: string) =>
    database.sql`insert into hooks values ('app_1', ${id}, ${seal(key, HOOKS, ["app_1", id], Redacted.make(secret))})`
  const stored = async (...keys: ReadonlyArray<SecretsKey>) => {
    const rows = await database.sql<
      Array<{ id: string; secret: Buffer | null }>
    >`select id, secret from hooks order by id`
    return rows.map(({ id, secret }) => (secret === null ? null : outcome(keys, HOOKS, ["app_1", id], secret)))
  }
  const rotate = (from: SecretsKey, to: SecretsKey) => having([to, from], rotateSecrets([HOOKS], Effect.void))

  it("is the one of the first start, even if several processes start at once", async () => {
    const keys = [newKey(), newKey(), newKey()]
    const told = await Promise.all(keys.map((key) => start(key)))
    assert.lengthOf(
      told.filter((line) => line === "started"),
      1
    )
    const mine = keys[told.indexOf("started")] ?? assert.fail()
    assert.strictEqual(await start(mine), "started")
    assert.match(await start(newKey()), /^SECRETS_KEY: does not match this database/)
  })

  it("is replaced by a rotation: secrets open with the new key only, and the old key starts no process", async () => {
    const [from, to] = [newKey(), newKey()]
    await start(from)
    const ids = Array.from({ length: 250 }, (_, n) => `chn_${String(n).padStart(3, "0")}`)
    await Promise.all(ids.map((id) => save(from, id, `secret of ${id}`)))
    await database.sql`insert into hooks values ('app_1', 'chn_none', null)`

    const rotated = await rotate(from, to)
    assert.strictEqual(rotated._tag === "Success" && rotated.success, 250)
    assert.deepStrictEqual(await stored(to), [...ids.map((id) => ({ opened: `secret of ${id}` })), null])
    assert.strictEqual(await start(to), "started")
    assert.match(await start(from), /does not match/)
    const again = await rotate(from, to)
    assert.strictEqual(again._tag === "Success" && again.success, 0)
  })

  it("may be in the middle of a rotation, which a process with both keys continues", async () => {
    const [from, to] = [newKey(), newKey()]
    await start(from)
    await save(from, "chn_1", "one")
    await save(to, "chn_2", "two")
    assert.strictEqual(await start(from), "started")
    assert.strictEqual(await start(to, from), "started")
    assert.deepStrictEqual(await stored(to, from), [{ opened: "one" }, { opened: "two" }])
    const rotated = await rotate(from, to)
    assert.strictEqual(rotated._tag === "Success" && rotated.success, 1)
    assert.deepStrictEqual(await stored(to), [{ opened: "one" }, { opened: "two" }])
  })

  it("stays the old one while a secret cannot be read, and the rotation reports that secret", async () => {
    const [from, to] = [newKey(), newKey()]
    await start(from)
    await save(newKey(), "chn_1", "of nobody")
    const rotated = await rotate(from, to)
    assert.strictEqual(
      rotated._tag === "Failure" && rotated.failure.message,
      "hooks.secret of app_1/chn_1 is sealed under a key that is not given"
    )
    assert.strictEqual(await start(from), "started")
    assert.match(await start(to), /does not match/)
  })

  it("can be rotated twice at once without harm", async () => {
    const [from, to] = [newKey(), newKey()]
    await start(from)
    await Promise.all(Array.from({ length: 150 }, (_, n) => save(from, `chn_${n}`, "hush")))
    const both = await Promise.all([rotate(from, to), rotate(from, to)])
    assert.strictEqual(
      both.reduce((sum, one) => sum + (one._tag === "Success" ? one.success : Number.NaN), 0),
      150
    )
    assert.lengthOf(
      (await stored(to)).filter((one) => one !== null && "opened" in one),
      150
    )
  })
})
