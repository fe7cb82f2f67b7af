import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { AccountTokens } from "#src/db/tenancy/AccountTokens.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { DeviceCodes } from "#src/db/tenancy/DeviceCodes.ts"
import { RollingLimits } from "#src/db/tenancy/RollingLimits.ts"
import { createTestDatabase } from "#test/support/TestDatabase.ts"

const services = Layer.unwrap(
  Effect.gen(function* () {
    const database = yield* Effect.acquireRelease(
      Effect.promise(() => createTestDatabase()),
      (database) => Effect.promise(() => database.drop())
    )
    return Layer.merge(RollingLimits.layer, DeviceCodes.layer.pipe(Layer.provide(AccountTokens.layer))).pipe(
      Layer.provideMerge(Database.layer({ url: Redacted.make(database.url), maxConnections: 8 }))
    )
  })
)

const take = (subject: string, most: number) =>
  RollingLimits.use((limits) => limits.take({ kind: "test", subject, most, windowSeconds: 3600 }))
const back = (subject: string, seconds: number) =>
  Database.use(({ query }) =>
    query(
      (sql) => sql`
  update rolling_limits set hits = array(select hit -
    ${seconds}::int * interval '1 second' from unnest(hits) hit),
      last_hit_at = last_hit_at - ${seconds}::int * interval '1 second'
  where subject = ${subject}`
    )
  )
const count = (table: string) =>
  Database.use(({ query }) =>
    query<Array<{ n: number }>>((sql) => sql`select count(*)::int as n from ${sql(table)}`)
  ).pipe(Effect.map((rows) => rows[0]?.n))

describe("a rolling limit", () => {
  layer(services)((it) => {
    it.effect("is exact under concurrency, and separate for each subject", () =>
      Effect.gen(function* () {
        const taken = yield* Effect.all(
          Array.from({ length: 50 }, () => take("many", 7)),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(taken.filter((one) => one.taken).length, 7)
        assert.isTrue((yield* take("another", 7)).taken)
      })
    )

    it.effect("reports when there is room again, which is when the oldest request leaves the window", () =>
      Effect.gen(function* () {
        yield* take("one", 2)
        yield* back("one", 3000)
        yield* take("one", 2)
        const refused = yield* take("one", 2)
        assert.isTrue(!refused.taken && refused.retryAfterSeconds > 590 && refused.retryAfterSeconds <= 600)
        yield* back("one", 600)
        assert.isTrue((yield* take("one", 2)).taken)
        assert.isFalse((yield* take("one", 2)).taken)
      })
    )

    it.effect("of zero lets nothing through", () =>
      Effect.gen(function* () {
        assert.isFalse((yield* take("nobody", 0)).taken)
      })
    )

    it.effect("deletes subjects that were idle for a day, as device codes are deleted a day after they end", () =>
      Effect.gen(function* () {
        const { query } = yield* Database
        yield* take("gone", 1)
        yield* back("gone", 90_000)
        const before = (yield* count("rolling_limits")) ?? 0
        yield* RollingLimits.use((limits) => limits.expire)
        assert.strictEqual(yield* count("rolling_limits"), before - 1)

        const codes = yield* DeviceCodes
        for (let n = 0; n < 2; n++) yield* codes.start({ clientName: "test", scopes: ["apps:read"] })
        yield* query(
          (sql) =>
            sql`update device_codes set expires_at = now() - interval '25 hours'
              where device_code_hash = (select min(device_code_hash) from device_codes)`
        )
        yield* codes.expire
        assert.strictEqual(yield* count("device_codes"), 1)
      })
    )
  })
})
