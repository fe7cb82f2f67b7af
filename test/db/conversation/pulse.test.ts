import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import { Database } from "#src/db/postgres/Database.ts"
import { heldUnits } from "#src/composition/heldUnits.ts"
import { type Registration, Workers } from "#src/db/conversation/Workers.ts"
import { type Engine, startEngine } from "#test/support/Engine.ts"
import { seenWithin } from "#test/support/seenWithin.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

let database: TestDatabase
let engine: Engine
let runtime: ManagedRuntime.ManagedRuntime<Workers, unknown>
const scopes: Array<Scope.Closeable> = []
beforeAll(async () => {
  database = await createTestDatabase()
  engine = startEngine(database)
  runtime = ManagedRuntime.make(
    Workers.layer.pipe(
      Layer.provide(heldUnits),
      Layer.provide(Database.layer({ url: Redacted.make(database.url), maxConnections: 2 }))
    )
  )
})
afterEach(async () => {
  for (const scope of scopes.splice(0)) await runtime.runPromise(Scope.close(scope, Exit.void))
  await database.sql`delete from workers`
})
afterAll(async () => {
  await runtime.dispose()
  await engine.close()
  await database.drop()
})

/** Live workers, in the order of their ids. */
const register = async (count: number) => {
  const workers: Array<Registration> = []
  while (workers.length < count) {
    const scope = await runtime.runPromise(Scope.make())
    scopes.push(scope)
    workers.push(await runtime.runPromise(Workers.use(({ register }) => Scope.provide(register, scope))))
  }
  return workers.toSorted((a, b) => (a.workerId < b.workerId ? -1 : 1))
}
const pulseOf = async ({ heartbeat }: Registration) => {
  const pulse = await runtime.runPromise(heartbeat)
  if (pulse === null) throw new Error("the connection is lost")
  return pulse
}
const whoSees = async (workers: ReadonlyArray<Registration>) => {
  const seen: Array<number> = []
  for (const [i, worker] of workers.entries()) if ((await pulseOf(worker)).dead) seen.push(i)
  return seen
}
const takeSweep = ({ workerId }: Registration) =>
  runtime.runPromise(Workers.use((workers) => workers.takeSweep(workerId)))
const rescue = () => runtime.runPromise(Workers.use((workers) => workers.rescue))

describe("a dead worker", () => {
  it("is noticed by the four workers before it, and by no others, and after its rescue by nobody", async () => {
    const workers = await register(7)
    assert.deepStrictEqual(await whoSees(workers), [])
    // The last in the order of ids.
    await database.sql`insert into workers (worker_id) values ('wrk_~')`
    assert.deepStrictEqual(await whoSees(workers), [3, 4, 5, 6])
    assert.deepStrictEqual(await rescue(), { workers: 1, turns: 0 })
    // The first.
    await database.sql`insert into workers (worker_id) values ('wrk')`
    assert.deepStrictEqual(await whoSees(workers), [3, 4, 5, 6])
    assert.deepStrictEqual(await rescue(), { workers: 1, turns: 0 })
    assert.deepStrictEqual(await whoSees(workers), [])
  })

  it("is noticed by a process that is no worker, too", async () => {
    const watch = () => runtime.runPromise(Workers.use((workers) => workers.watch))
    await register(1)
    assert.isFalse((await watch()).dead)
    await database.sql`insert into workers (worker_id) values ('wrk_~')`
    assert.isTrue((await watch()).dead)
  })

  it("is noticed by the only survivor, however many have died with it", async () => {
    const [survivor] = await register(1)
    if (survivor === undefined) throw new Error("no worker")
    await database.sql`
      insert into workers (worker_id) select 'wrk_' || repeat(chr(33 + 7 * n), 3) from generate_series(1, 12) n`
    assert.isTrue((await pulseOf(survivor)).dead)
    assert.deepStrictEqual(await rescue(), { workers: 12, turns: 0 })
    assert.isFalse((await pulseOf(survivor)).dead)
  })

  it("is noticed if it is only silent, because its host has vanished and its lock is still held", async () => {
    const workers = await register(2)
    const [first, second] = workers as [Registration, Registration]
    const afterNine = await seenWithin(database.sql, 900, async () => {
      await database.sql`update workers set heartbeat_at = now() - interval '9 seconds'`
      return pulseOf(first)
    })
    assert.isFalse(afterNine.dead)
    await database.sql`
      update workers set heartbeat_at = now() - interval '11 seconds' where worker_id = ${second.workerId}`
    assert.isTrue((await pulseOf(first)).dead)
    assert.isFalse((await pulseOf(second)).dead)
    assert.isFalse((await pulseOf(first)).dead)
  })
})

describe("the turn to sweep", () => {
  const secondPasses = () => database.sql`update workers set swept_at = swept_at - interval '1 second'`

  it("is taken by one worker in a second, whichever asks first", async () => {
    const [a, b, c] = (await register(3)) as [Registration, Registration, Registration]
    const { taken, due } = await seenWithin(database.sql, 900, async () => {
      await database.sql`update workers set swept_at = null`
      const taken = [await takeSweep(b), await takeSweep(a), await takeSweep(b)]
      const due: Array<boolean> = []
      for (const worker of [a, b, c]) due.push((await pulseOf(worker)).sweep_due)
      return { taken, due }
    })
    assert.deepStrictEqual(taken, [true, false, false])
    assert.deepStrictEqual(due, [false, false, false])
    await secondPasses()
    for (const worker of [a, b, c]) assert.isTrue((await pulseOf(worker)).sweep_due)
    const takenNext = await seenWithin(database.sql, 900, async () => {
      await secondPasses()
      return [await takeSweep(c), await takeSweep(b)]
    })
    assert.deepStrictEqual(takenNext, [true, false])
  })

  it("passes to another worker a second after the one that took it has died, before its rescue", async () => {
    const [a] = (await register(1)) as [Registration]
    await database.sql`insert into workers (worker_id) values ('wrk_~')`
    const taken = await seenWithin(database.sql, 900, async () => {
      await database.sql`update workers set swept_at = case worker_id when 'wrk_~' then now() end`
      return takeSweep(a)
    })
    assert.isFalse(taken)
    await secondPasses()
    assert.isTrue(await takeSweep(a))
  })

  it("is not taken by a worker that is no longer registered", async () => {
    const [a] = (await register(1)) as [Registration]
    await database.sql`delete from workers`
    assert.isFalse(await takeSweep(a))
  })
})

describe("a pulse", () => {
  const work = ["holds_turns", "holds_lanes", "late_turns", "ready_lanes", "open_updates"] as const
  const workOf = async (worker: Registration) => {
    const pulse = await pulseOf(worker)
    return work.filter((name) => pulse[name])
  }

  it("names what the worker holds, and what waits although nobody was notified", async () => {
    const [mine, other] = (await register(2)) as [Registration, Registration]
    const { sql } = database
    assert.deepStrictEqual(await workOf(mine), [])
    const appId = await engine.createApp()
    const sessionId = await engine.createSession(appId)
    await engine.send({ appId, sessionId })
    const whileYoung = await seenWithin(database.sql, 1_900, async () => {
      await sql`update turns set due_at = now()`
      return workOf(mine)
    })
    assert.deepStrictEqual(whileYoung, [])
    await sql`update turns set due_at = now() - interval '3 seconds'`
    assert.deepStrictEqual(await workOf(mine), ["late_turns"])
    await sql`update turns set owner = ${mine.workerId}`
    assert.deepStrictEqual([await workOf(mine), await workOf(other)], [["holds_turns"], []])
    await sql`update turns set outcome = 'replied'`
    assert.deepStrictEqual(await workOf(mine), [])

    await sql`
      insert into channels (app_id, channel_id, covers, kind, endpoint, target)
      values (${appId}, 'chn_1', 'app', 'webhook', 'https://x.example', '{}')`
    await sql`
      insert into lanes (app_id, session_id, channel_id, generation, position, head, status)
      values (${appId}, ${sessionId}, 'chn_1', 1, 0, 1, 'ready')`
    assert.deepStrictEqual([await workOf(mine), await workOf(other)], [["ready_lanes"], ["ready_lanes"]])
    await sql`update lanes set owner = ${mine.workerId}`
    assert.deepStrictEqual([await workOf(mine), await workOf(other)], [["holds_lanes"], []])
    await sql`delete from lanes`

    await sql`
      insert into telegram_updates (app_id, channel_id, update_id, chat_id, kind, raw, due_at)
      values (${appId}, 'bot_1', 1, 1, 'text', '{}', now())`
    assert.deepStrictEqual(await workOf(mine), ["open_updates"])
    await sql`update telegram_updates set due_at = 'infinity'`
    assert.deepStrictEqual(await workOf(mine), [])
  })

  it("names the units that are given up", async () => {
    const [worker] = (await register(1)) as [Registration]
    await database.sql`
      insert into crashed_units (app_id, kind, unit, crashes)
      values ('a', 'turn', 'once', 1), ('a', 'turn', 'often', 5)`
    assert.deepStrictEqual((await pulseOf(worker)).given_up, [{ app_id: "a", kind: "turn", unit: "often", crashes: 5 }])
    await database.sql`delete from crashed_units`
    assert.deepStrictEqual((await pulseOf(worker)).given_up, [])
  })

  it("says that the worker is no longer registered once it was declared dead", async () => {
    const [worker] = (await register(1)) as [Registration]
    assert.isTrue((await pulseOf(worker)).registered)
    await database.sql`delete from workers`
    assert.isFalse((await pulseOf(worker)).registered)
    await runtime.runPromise(worker.lost)
  })
})
