import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import { CharacterVersions } from "#src/db/character/CharacterVersions.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { MemoryExtractions } from "#src/db/memory/MemoryExtractions.ts"
import { Relationships } from "#src/db/memory/Relationships.ts"
import { SessionStories } from "#src/db/memory/SessionStories.ts"
import { heldUnits } from "#src/composition/heldUnits.ts"
import { Workers } from "#src/db/conversation/Workers.ts"
import { type Engine, startEngine } from "#test/support/Engine.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

let database: TestDatabase
let engine: Engine
beforeAll(async () => {
  database = await createTestDatabase()
  engine = startEngine(database)
})
afterAll(async () => {
  await engine.close()
  await database.drop()
})

describe("a waiting turn that the sweeper finds repeatedly", () => {
  it("has one job, which keeps its place in the queue", async () => {
    const appId = await engine.createApp()
    const sessionId = await engine.createSession(appId)
    await engine.send({ appId, sessionId })
    await database.sql`update turns set due_at = now() - interval '1 minute'`
    await database.sql`delete from graphile_worker._private_jobs`
    const sweep = Workers.use((workers) => workers.wakeLate([]))
    const runtime = ManagedRuntime.make(
      Workers.layer.pipe(
        Layer.provide(heldUnits),
        Layer.provide(Database.layer({ url: Redacted.make(database.url), maxConnections: 1 }))
      )
    )
    try {
      assert.strictEqual(await runtime.runPromise(sweep), 1)
      const first = await database.sql`select id, run_at from graphile_worker.jobs`
      assert.lengthOf(first, 1)
      assert.strictEqual(await runtime.runPromise(Effect.andThen(sweep, sweep)), 1)
      assert.deepStrictEqual([...(await database.sql`select id, run_at from graphile_worker.jobs`)], [...first])
    } finally {
      await runtime.dispose()
    }
  })
})

describe("a session whose memory extraction is delayed", () => {
  it("has a job that is due later, after those that wait for a reply, and shared with other sessions", async () => {
    const appId = await engine.createApp()
    const sessionId = await engine.createSession(appId)
    await database.sql`delete from graphile_worker._private_jobs`
    const runtime = ManagedRuntime.make(
      MemoryExtractions.layer.pipe(
        Layer.provide([CharacterVersions.layer, Relationships.layer, LogSignals.layer, Layer.mock(SessionStories, {})]),
        Layer.provide(Database.layer({ url: Redacted.make(database.url), maxConnections: 1 }))
      )
    )
    try {
      await runtime.runPromise(MemoryExtractions.use((turns) => turns.postpone([{ appId, sessionId }])))
      const jobs = await database.sql`
        select j.task_identifier, p.payload, j.priority, j.run_at > now() as later from graphile_worker.jobs j
          join graphile_worker._private_jobs p using (id)`
      assert.deepStrictEqual(
        [...jobs],
        [{ task_identifier: "relate", payload: { sessions: [[appId, sessionId]] }, priority: 10, later: true }]
      )
      await database.sql`delete from graphile_worker._private_jobs`
      const others = Array.from({ length: 40 }, (_, n) => ({ appId, sessionId: `ses_${n}` }))
      await runtime.runPromise(
        MemoryExtractions.use((turns) =>
          Effect.forEach(others, (session) => turns.postpone([session, others[0] ?? session]), {
            concurrency: "unbounded"
          })
        )
      )
      const [together] = await database.sql`
          select count(*)::int as jobs, sum(json_array_length(payload -> 'sessions'))::int as sessions
          from graphile_worker._private_jobs`
      assert.deepStrictEqual(together, { jobs: 1, sessions: 40 })
    } finally {
      await runtime.dispose()
    }
  })
})
