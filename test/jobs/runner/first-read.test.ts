import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import { Database } from "#src/db/postgres/Database.ts"
import { Membership } from "#src/jobs/runner/Membership.ts"
import * as Runner from "#src/jobs/runner/Runner.ts"
import { task } from "#src/jobs/runner/task.ts"
import { createTestDatabase } from "#test/support/TestDatabase.ts"

const membership = Membership.of({
  current: Effect.succeed(Option.some("wrk_1")),
  connection: Effect.succeed(Option.some(1)),
  usePool: () => Effect.void,
  onPulse: () => Effect.void
})

describe("a pool of jobs whose first read of its tasks fails, because the database ends just then", () => {
  it.live("reads them again and runs the jobs", () =>
    Effect.gen(function* () {
      const database = yield* Effect.acquireRelease(
        Effect.promise(() => createTestDatabase()),
        (database) => Effect.promise(() => database.drop())
      )
      const { sql } = database
      yield* Effect.promise(() => sql`select graphile_worker.add_job('after_first_read')`)
      yield* Effect.promise(() => sql`create sequence reads`)
      // A sequence counts on although the statement is rolled back.
      yield* Effect.promise(
        () => sql`
        create function end_first_read() returns trigger language plpgsql as $$ begin
          if nextval('reads') = 1 then perform pg_terminate_backend(pg_backend_pid()); end if;
          return new;
        end $$`
      )
      yield* Effect.promise(
        () => sql`
        create trigger end_first_read before insert on graphile_worker._private_tasks
          for each row execute function end_first_read()`
      )
      const ran = yield* Deferred.make<void>()
      yield* Layer.build(
        Runner.layer({
          // The read adds the task that is not in the table yet.
          tasks: [task("unknown", Effect.void), task("after_first_read", Deferred.succeed(ran, undefined))],
          concurrency: 1,
          idle: Effect.void
        }).pipe(
          Layer.provide([
            Layer.succeed(Membership, membership),
            Database.layer({ url: Redacted.make(database.url), maxConnections: 2 })
          ])
        )
      )
      yield* Deferred.await(ran)
      const [row] = yield* Effect.promise(() => sql`select last_value::int as reads from reads`)
      assert.isAbove(row?.["reads"], 1)
    }).pipe(Effect.scoped, Effect.provide(Layer.succeed(References.MinimumLogLevel, "None")))
  )
})
