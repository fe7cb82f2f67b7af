import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import { randomBytes } from "node:crypto"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import S3rver from "s3rver"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { newId } from "#pipeline/domain/Id.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { StoredObjects } from "#src/db/character/StoredObjects.ts"
import * as inDatabase from "#src/storage/inDatabase.ts"
import * as inFolder from "#src/storage/inFolder.ts"
import * as inS3 from "#src/storage/inS3.ts"
import { Storage, StorageError } from "#src/storage/Storage.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

let database: TestDatabase
let folder: string
let s3: S3rver
let s3Options: inS3.S3Options
beforeAll(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), "troupe-storage-"))
  s3 = new S3rver({
    port: 0,
    address: "127.0.0.1",
    silent: true,
    directory: join(folder, "s3"),
    configureBuckets: [{ name: "pictures", configs: [] }]
  })
  const { port } = await s3.run()
  s3Options = {
    endpoint: `http://127.0.0.1:${port}`,
    bucket: "pictures",
    region: "us-east-1",
    accessKeyId: "S3RVER",
    secretAccessKey: Redacted.make("S3RVER")
  }
})
afterAll(async () => {
  await s3.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

const onDatabase = () =>
  Layer.mergeAll(
    Database.layer({ url: Redacted.make(database.url), maxConnections: 4 }),
    Layer.succeed(References.MinimumLogLevel, "None")
  )
const layers = {
  "the database": () => inDatabase.layer.pipe(Layer.provide(onDatabase())),
  "a folder": () => inFolder.layer(join(folder, "own")),
  "a service that speaks S3": () => inS3.layer(s3Options)
} as const

describe.each(Object.keys(layers) as ReadonlyArray<keyof typeof layers>)("%s as the storage", (name) => {
  let runtime: ManagedRuntime.ManagedRuntime<Storage, never>
  beforeAll(() => {
    runtime = ManagedRuntime.make(layers[name]())
  })
  afterAll(() => runtime.dispose())
  const put = (key: string, content: Uint8Array) =>
    runtime.runPromise(Storage.use((storage) => storage.put(key, content)))
  const get = async (key: string) => {
    const content = await runtime.runPromise(Storage.use((storage) => storage.get(key)))
    return content === null ? null : Buffer.from(content)
  }
  const remove = (key: string) => runtime.runPromise(Storage.use((storage) => storage.remove(key)))
  const keyOf = () => `${newId("app")}/${newId("obj")}`

  it("returns stored content byte for byte", async () => {
    for (const content of [Buffer.alloc(0), Buffer.from([0, 255, 10, 13, 0]), randomBytes(200_000)]) {
      const key = keyOf()
      await put(key, content)
      assert.isTrue((await get(key))?.equals(content))
    }
  })

  it("has nothing under an unused key", async () => {
    assert.isNull(await get(keyOf()))
  })

  it("replaces existing content", async () => {
    const key = keyOf()
    await put(key, Buffer.from("first"))
    await put(key, Buffer.from("second"))
    assert.strictEqual(String(await get(key)), "second")
  })

  // The fake S3 is a folder whose files are written in place. Real services are atomic.
  it.runIf(name !== "a service that speaks S3")(
    "shows concurrent readers one content or the other, never a mixture",
    async () => {
      const key = keyOf()
      const [one, other] = [Buffer.alloc(40_000, 1), Buffer.alloc(70_000, 2)]
      await put(key, one)
      const writing = Promise.all(Array.from({ length: 6 }, (_, n) => put(key, n % 2 === 0 ? other : one)))
      for (let reads = 0; reads < 6; reads++) {
        const read = await get(key)
        assert.isTrue(read?.equals(one) === true || read?.equals(other) === true)
      }
      await writing
    }
  )

  it("deletes content, and accepts a missing key", async () => {
    const key = keyOf()
    await put(key, Buffer.from("gone soon"))
    await remove(key)
    await remove(key)
    assert.isNull(await get(key))
  })

  it("keeps content with the same name of another app", async () => {
    const object = newId("obj")
    const [mine, theirs] = [`${newId("app")}/${object}`, `${newId("app")}/${object}`]
    await put(mine, Buffer.from("mine"))
    await put(theirs, Buffer.from("theirs"))
    await remove(mine)
    assert.strictEqual(String(await get(theirs)), "theirs")
  })

  it.each(["../../etc/passwd", "app/../x", "app", "/app/x", "app/x/y", "app/x.png", ""])(
    "accepts only its own keys: %s",
    async (key) => {
      for (const act of [() => put(key, Buffer.from("x")), () => get(key), () => remove(key)]) {
        assert.isTrue(
          await act().then(
            () => false,
            () => true
          )
        )
      }
    }
  )
})

describe("an unavailable storage", () => {
  it("reports it without a key or a secret", async () => {
    const layer = inS3.layer({
      ...s3Options,
      bucket: "nobody",
      secretAccessKey: Redacted.make("a-secret-that-is-wrong")
    })
    const error = await Effect.runPromise(
      Storage.use((storage) => Effect.flip(storage.put("app_1/obj_1", Buffer.from("x")))).pipe(Effect.provide(layer))
    )
    assert.instanceOf(error, StorageError)
    assert.notInclude(JSON.stringify(error) + String(error.stack), "a-secret")
  })

  it("leaves no draft in a full or read-only folder", async () => {
    const layer = inFolder.layer("/proc/nothing-can-be-made-here")
    assert.instanceOf(
      await Effect.runPromise(
        Storage.use((storage) => Effect.flip(storage.put("app_1/obj_1", Buffer.from("x")))).pipe(Effect.provide(layer))
      ),
      StorageError
    )
    assert.isEmpty((await readdir(join(folder, "own"), { recursive: true })).filter((file) => file.endsWith(".draft")))
  })
})

describe("stored content", () => {
  const open = () =>
    ManagedRuntime.make(
      StoredObjects.layer.pipe(
        Layer.provideMerge(inFolder.layer(join(folder, "swept"))),
        Layer.provideMerge(onDatabase())
      )
    )
  const files = async () =>
    (await readdir(join(folder, "swept"), { recursive: true })).filter((file) => file.includes("obj_"))

  it("stays if it was kept, and is deleted if it was discarded or never shown because its process died", async () => {
    const runtime = open()
    try {
      const app = newId("app")
      const put = (text: string) =>
        runtime.runPromise(StoredObjects.use((objects) => objects.put(app, Buffer.from(text))))
      const [kept, discarded, orphan, fresh] = [
        await put("kept"),
        await put("discarded"),
        await put("orphan"),
        await put("fresh")
      ]
      await runtime.runPromise(
        StoredObjects.use((objects) => Effect.andThen(objects.keep(app, kept), objects.keep(app, discarded)))
      )
      await runtime.runPromise(StoredObjects.use((objects) => objects.discard(app, [discarded])))
      await database.sql`
        update stored_objects set changed_at = now() - interval '2 hours'
        where object_key = any(${[orphan, kept]}::text[])`
      await runtime.runPromise(StoredObjects.use((objects) => objects.sweep))
      assert.sameMembers(
        await files(),
        [kept, fresh].map((key) => key)
      )
      assert.sameMembers(
        (await database.sql`select object_key from stored_objects where app_id = ${app}`).map(
          (row) => row["object_key"]
        ),
        [kept, fresh]
      )
      // A file that was deleted can no longer be kept.
      assert.isTrue(
        await runtime.runPromise(StoredObjects.use((objects) => objects.keep(app, orphan))).then(
          () => false,
          () => true
        )
      )
    } finally {
      await runtime.dispose()
    }
  })

  it("is checked again if the storage was unavailable", async () => {
    const runtime = open()
    const app = newId("app")
    const key = await runtime.runPromise(StoredObjects.use((objects) => objects.put(app, Buffer.from("x"))))
    await runtime.runPromise(StoredObjects.use((objects) => objects.discard(app, [key])))
    const away = ManagedRuntime.make(
      StoredObjects.layer.pipe(
        Layer.provide(
          Layer.mock(Storage, { kind: "s3", remove: () => Effect.fail(new StorageError({ code: "ECONNREFUSED" })) })
        ),
        Layer.provide(onDatabase())
      )
    )
    await away.runPromise(StoredObjects.use((objects) => objects.sweep))
    await away.dispose()
    assert.lengthOf(await database.sql`select 1 from stored_objects where object_key = ${key}`, 1)
    await runtime.runPromise(StoredObjects.use((objects) => objects.sweep))
    assert.lengthOf(await database.sql`select 1 from stored_objects where object_key = ${key}`, 0)
    await runtime.dispose()
  })
})
