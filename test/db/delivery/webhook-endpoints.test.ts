import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { randomBytes } from "node:crypto"
import { Endpoints } from "#channels/Endpoints.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { CHANNEL_SECRET, CHANNEL_URL, PREVIOUS_CHANNEL_SECRET } from "#src/db/postgres/sealedColumns.ts"
import { Secrets, SecretsKeys } from "#src/db/postgres/Secrets.ts"
import { secretsKey } from "#src/db/postgres/secretsCipher.ts"
import * as PostgresEndpoints from "#src/db/delivery/PostgresEndpoints.ts"
import { createTestDatabase } from "#test/support/TestDatabase.ts"

const ROW = ["app_1", "chn_1"]

/** A channel of version 1, whose previous secret is valid for the first hundred seconds of the test's clock. */
const channel = Effect.gen(function* () {
  const { query } = yield* Database
  const { seal } = yield* Secrets
  yield* query((sql) => sql`insert into apps (app_id, name) values ('app_1', 'test')`)
  yield* query(
    (sql) => sql`
    insert into channels (app_id, channel_id, kind, endpoint, target, url, secret, previous_secret,
      previous_secret_until)
    values ('app_1', 'chn_1', 'webhook', 'here', '{}',
      ${seal(CHANNEL_URL, ROW, Redacted.make("https://example.com/1"))},
        ${seal(CHANNEL_SECRET, ROW, Redacted.make("current"))},
      ${seal(PREVIOUS_CHANNEL_SECRET, ROW, Redacted.make("previous"))}, 'epoch'::timestamptz + interval '100 seconds')`
  )
})
const change = (url: string) =>
  Effect.gen(function* () {
    const { query } = yield* Database
    const { seal } = yield* Secrets
    yield* query(
      (sql) => sql`update channels set url = ${seal(CHANNEL_URL, ROW, Redacted.make(url))}, version = version + 1`
    )
  })
const look = (version: number) =>
  Endpoints.use((endpoints) => endpoints.get("app_1", "chn_1", version)).pipe(
    Effect.map(
      (endpoint) => endpoint && { url: Redacted.value(endpoint.url), secrets: endpoint.secrets.map(Redacted.value) }
    )
  )

const services = Layer.unwrap(
  Effect.gen(function* () {
    const database = yield* Effect.acquireRelease(
      Effect.promise(() => createTestDatabase()),
      (database) => Effect.promise(() => database.drop())
    )
    const key = secretsKey(Redacted.make(randomBytes(32)))
    return PostgresEndpoints.layer.pipe(
      Layer.provideMerge(Secrets.layer),
      Layer.provide(Layer.succeed(SecretsKeys, { sealing: key, opening: [key] })),
      Layer.provideMerge(Database.layer({ url: Redacted.make(database.url), maxConnections: 2 }))
    )
  })
)

describe("the endpoint of a webhook channel", () => {
  it.effect("returns the previous secret until it expires, whatever is cached", () =>
    Effect.gen(function* () {
      yield* channel
      assert.deepStrictEqual(yield* look(1), { url: "https://example.com/1", secrets: ["current", "previous"] })
      yield* TestClock.adjust("100 seconds")
      assert.deepStrictEqual(yield* look(1), { url: "https://example.com/1", secrets: ["current"] })
    }).pipe(Effect.provide(services))
  )

  it.effect("is never older than the caller's version, and a newer one is not cached for an older version", () =>
    Effect.gen(function* () {
      yield* channel
      yield* look(1)
      yield* change("https://example.com/2")
      assert.strictEqual((yield* look(2))?.url, "https://example.com/2")
      yield* change("https://example.com/3")
      assert.strictEqual((yield* look(3))?.url, "https://example.com/3")
      yield* change("https://example.com/4")
      assert.strictEqual((yield* look(3))?.url, "https://example.com/3")
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual((yield* look(3))?.url, "https://example.com/4")
      yield* change("https://example.com/5")
      assert.strictEqual((yield* look(3))?.url, "https://example.com/5")
    }).pipe(Effect.provide(services))
  )

  it.effect("does not exist if its channel does not exist or is deleted", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* look(1))
      yield* channel
      yield* Database.use(({ query }) => query((sql) => sql`update channels set status = 'deleted'`))
      assert.isUndefined(yield* look(1))
    }).pipe(Effect.provide(services))
  )
})
