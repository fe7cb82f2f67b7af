import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { Database } from "#src/db/postgres/Database.ts"
import { WINDOW_SECONDS } from "#src/db/tenancy/rateLeases.ts"
import { RateLimits } from "#src/db/tenancy/RateLimits.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

/** One process's share of the limits. Several on one database act like several processes. */
const startProcess = ({ url }: TestDatabase, messages: number) =>
  ManagedRuntime.make(
    RateLimits.layer({ messages, requests: messages }).pipe(
      Layer.provide(Database.layer({ url: Redacted.make(url), maxConnections: 4 }))
    )
  )
type Process = ReturnType<typeof startProcess>

let database: TestDatabase
let subjects = 0
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const take = (process: Process, subject: string) =>
  process.runPromise(RateLimits.use((limits) => limits.take(subject, "messages")))
const withProcesses = async <A>(
  count: number,
  messages: number,
  use: (processes: ReadonlyArray<Process>) => Promise<A>
) => {
  const processes = Array.from({ length: count }, () => startProcess(database, messages))
  try {
    return await use(processes)
  } finally {
    await Promise.all(processes.map((process) => process.dispose()))
  }
}
const at = <A>(items: ReadonlyArray<A>, n: number): A => items[n % items.length] as A

describe("a rate limit", () => {
  it("is never exceeded by all processes together, and can be used up wherever it is needed", () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 400 }),
        fc.array(fc.nat({ max: 200 }), { minLength: 3, maxLength: 3 }),
        async (quota, bursts) =>
          withProcesses(3, quota, async (processes) => {
            const subject = `app_${++subjects}`
            const some = (
              await Promise.all(
                bursts.flatMap((times, n) => Array.from({ length: times }, () => take(at(processes, n), subject)))
              )
            ).filter(({ taken }) => taken).length
            assert.isAtMost(some, quota)
            const rest = (
              await Promise.all(Array.from({ length: 3 * quota }, (_, n) => take(at(processes, n), subject)))
            ).filter(({ taken }) => taken).length
            assert.strictEqual(some + rest, quota)
          })
      ),
      { numRuns: 15 }
    ))

  it("leaves everything but one second's share to other processes when a process stops using it", () =>
    withProcesses(2, 600, async (processes) => {
      const subject = `app_${++subjects}`
      await take(at(processes, 0), subject)
      const standings = await Promise.all(Array.from({ length: 600 }, () => take(at(processes, 1), subject)))
      assert.strictEqual(standings.filter(({ taken }) => taken).length, 600 - 1 - 600 / WINDOW_SECONDS)
    }))

  it("returns with each request how much is left, and for how long", () =>
    withProcesses(1, 100, async ([process]) => {
      const subject = `app_${++subjects}`
      const remaining: Array<number> = []
      const begunAt = performance.now()
      for (let n = 0; n < 5; n++) remaining.push((await take(process as Process, subject)).remaining)
      assert.deepStrictEqual(remaining, [99, 98, 97, 96, 95])
      const { quota, seconds, policy } = await take(process as Process, subject)
      assert.deepStrictEqual([quota, policy], [100, "messages"])
      assert.isAtMost(seconds, WINDOW_SECONDS)
      // What a lease takes is counted twice, because a process rather ends a window too early.
      assert.isAtLeast(seconds, Math.floor(WINDOW_SECONDS - (2 * (performance.now() - begunAt)) / 1000))
    }))

  it("restarts when its window ends, even if the clock of the database was set back", () =>
    withProcesses(1, 5, async ([process]) => {
      for (const moved of ["-1 minute", "1 hour"]) {
        const subject = `app_${++subjects}`
        await database.sql`
          insert into rate_windows (subject, policy, quota, ends_at, leased, granted)
          values (${subject}, 'messages', 5, now() + ${moved}::text::interval, 5, 1)`
        assert.isTrue((await take(process as Process, subject)).taken, moved)
      }
    }))

  it("fails with the database for all waiting requests, and works again afterwards", async () => {
    const process = startProcess(database, 5)
    const subject = `app_${++subjects}`
    await database.sql`alter table rate_windows rename to away`
    const failed = await Promise.all(
      [1, 2, 3].map(() => process.runPromise(Effect.flip(RateLimits.use((limits) => limits.take(subject, "messages")))))
    )
    assert.deepStrictEqual(
      failed.map(({ _tag }) => _tag),
      ["DatabaseError", "DatabaseError", "DatabaseError"]
    )
    await database.sql`alter table away rename to rate_windows`
    assert.isTrue((await take(process, subject)).taken)
    await process.dispose()
  })
})
