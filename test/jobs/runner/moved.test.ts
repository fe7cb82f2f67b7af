import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import { Database } from "#src/db/postgres/Database.ts"
import { primaryOf } from "#src/db/postgres/primary.ts"
import { Membership } from "#src/jobs/runner/Membership.ts"
import * as Runner from "#src/jobs/runner/Runner.ts"
import { task } from "#src/jobs/runner/task.ts"
import { startReplicatedPostgres } from "#test/support/postgres/ReplicatedPostgres.ts"
import { until } from "#test/support/until.ts"

describe("a failover that is over before anybody looks at the worker's lock", () => {
  it.live("moves the jobs to the new primary", () =>
    Effect.gen(function* () {
      const postgres = yield* Effect.acquireRelease(
        Effect.promise(() => startReplicatedPostgres()),
        ({ database }) => Effect.promise(() => database.drop())
      )
      const { url } = postgres.database
      const standby = postgres.standby.href
      const ran = yield* Deferred.make<void>()
      // Never seen without its lock: only the number of its connection changes.
      let connection = 1
      const membership = Membership.of({
        current: Effect.succeed(Option.some("wrk_1")),
        connection: Effect.sync(() => Option.some(connection)),
        usePool: () => Effect.void,
        onPulse: () => Effect.void
      })
      yield* Layer.build(
        Runner.layer({
          tasks: [task("after_failover", Deferred.succeed(ran, undefined))],
          concurrency: 1,
          idle: Effect.void
        }).pipe(
          Layer.provide([
            Layer.succeed(Membership, membership),
            Database.layer({ url: Redacted.make(url), maxConnections: 2 })
          ])
        )
      )
      yield* Effect.promise(() => postgres.killPrimary())
      yield* Effect.promise(() => postgres.promote())
      // The lock's next connection is opened at the server that takes writes.
      yield* Effect.promise(() => until("the new primary to be known", async () => (await primaryOf(url)) === standby))
      connection = 2
      yield* Effect.promise(() => postgres.database.sql`select graphile_worker.add_job('after_failover')`)
      yield* Deferred.await(ran)
      assert.isTrue(yield* Deferred.isDone(ran))
    }).pipe(Effect.scoped, Effect.provide(Layer.succeed(References.MinimumLogLevel, "None")))
  )
})
