import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { heldUnits } from "#src/composition/heldUnits.ts"
import { Workers } from "#src/db/conversation/Workers.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { type Engine, startEngine } from "#test/support/Engine.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

let database: TestDatabase
let engine: Engine
let runtime: ManagedRuntime.ManagedRuntime<Workers, unknown>
let appId: string
beforeAll(async () => {
  database = await createTestDatabase()
  engine = startEngine(database)
  appId = await engine.createApp()
  runtime = ManagedRuntime.make(
    Workers.layer.pipe(
      Layer.provide(heldUnits),
      Layer.provide(Database.layer({ url: Redacted.make(database.url), maxConnections: 2 }))
    )
  )
})
afterAll(async () => {
  await runtime.dispose()
  await engine.close()
  await database.drop()
})
beforeEach(async () => {
  await database.sql`delete from crashed_units`
})

/** Lets a worker hold something, and stop. */
const holdAndStop = (hold: (worker: string) => Promise<unknown>) =>
  runtime.runPromise(
    Workers.use(({ register }) =>
      Effect.scoped(Effect.flatMap(register, ({ workerId }) => Effect.promise(() => hold(workerId))))
    )
  )
/** Lets a worker hold something, and die. `stuckIn`: the unit that the monitor has recorded, and maybe counted. */
const holdAndDie = async (
  hold: (worker: string) => Promise<unknown>,
  stuckIn?: { kind: string; unit: string; counted: boolean }
) => {
  await database.sql`insert into workers (worker_id, stuck_app_id, stuck_kind, stuck_unit, stuck_counted)
    values ('wrk_dead', ${stuckIn === undefined ? null : appId}, ${stuckIn?.kind ?? null}, ${stuckIn?.unit ?? null},
      ${stuckIn?.counted ?? false})`
  await hold("wrk_dead")
  await runtime.runPromise(Workers.use(({ rescue }) => rescue))
}
const counted = async () =>
  (
    await database.sql<Array<{ unit: string; crashes: number }>>`
      select unit, crashes from crashed_units where app_id = ${appId} order by unit`
  ).map(({ unit, crashes }) => [unit, crashes])

describe("a batch of proactive checks", () => {
  const BATCH = 6
  let sessions: Array<string>
  beforeEach(async () => {
    sessions = []
    for (let i = 0; i < BATCH; i++) sessions.push(await engine.createSession(appId))
    sessions.sort()
    await database.sql`delete from relationships`
    await database.sql`delete from graphile_worker._private_jobs`
    await database.sql`insert into relationships (app_id, session_id)
      select ${appId}, * from unnest(${sessions}::text[])`
  })

  const lease = (worker: string) => database.sql`
    update relationships set initiate_at = now() + interval '2 minutes',
      check_lease = ${`${worker} 2026-01-01T00:00:00.000Z`} where app_id = ${appId}`
  /** In how many seconds each session is due, in their order. */
  const due = async () =>
    (
      await database.sql<Array<{ wait: number; check_lease: string | null }>>`
        select extract(epoch from initiate_at - now())::float8 as wait, check_lease from relationships
        where app_id = ${appId} order by session_id`
    ).map(({ wait, check_lease }) => {
      assert.isNull(check_lease)
      return wait
    })
  const jobs = async () =>
    (await database.sql`select 1 from graphile_worker.jobs where task_identifier = 'initiate'`).length

  it("is due again at once when its worker stops, and counts nothing", async () => {
    await holdAndStop(lease)
    for (const wait of await due()) assert.isAtMost(wait, 0)
    assert.deepStrictEqual(await counted(), [])
    assert.strictEqual(await jobs(), 1)
  })

  it("is due again at once when its worker dies, and counts a crash for the four that were being checked", async () => {
    await holdAndDie(lease)
    for (const wait of await due()) assert.isAtMost(wait, 0)
    assert.deepStrictEqual(
      await counted(),
      sessions.slice(0, 4).map((session) => [session, 1])
    )
  })

  it("counts nothing when the monitor has counted what its worker was stuck in", async () => {
    await holdAndDie(lease, { kind: "proactive", unit: sessions[1] ?? "", counted: true })
    for (const wait of await due()) assert.isAtMost(wait, 0)
    assert.deepStrictEqual(await counted(), [])
  })

  it("counts only the check that its worker was stuck in when it died before the monitor could count it", async () => {
    await holdAndDie(lease, { kind: "proactive", unit: sessions[1] ?? "", counted: false })
    for (const wait of await due()) assert.isAtMost(wait, 0)
    assert.deepStrictEqual(await counted(), [[sessions[1], 1]])
  })

  it("checks sessions that were present at several crashes at separate times, and the others at once", async () => {
    await database.sql`insert into crashed_units (app_id, kind, unit, crashes)
      select ${appId}, 'proactive', * , 3 from unnest(${sessions.slice(0, 4)}::text[])`
    await holdAndDie(lease)
    const [suspects, others] = [(await due()).slice(0, 4), (await due()).slice(4)]
    assert.strictEqual(new Set(suspects).size, 4)
    for (const wait of suspects) assert.isAtMost(wait, 90)
    assert.isAbove(Math.max(...suspects), 0)
    for (const wait of others) assert.isAtMost(wait, 0)
    assert.strictEqual(await jobs(), 5)
  })
})

describe("an export", () => {
  const ONE = { app_id: "", export_id: "exp_1", external_user_ref: "ada", status: "running" }
  const claimed = (attempts: number) => async (owner: string) => {
    await database.sql`delete from exports`
    await database.sql`insert into exports ${database.sql({ ...ONE, app_id: appId, owner, attempts })}`
  }
  const row = async () => {
    const [found] = await database.sql<Array<{ owner: string | null; attempts: number; wait: number | null }>>`
      select owner, attempts, extract(epoch from retry_at - now())::float8 as wait from exports`
    return found ?? assert.fail("no export")
  }

  it("gets its attempt back when its worker stops", async () => {
    await holdAndStop(claimed(3))
    assert.deepStrictEqual({ ...(await row()) }, { owner: null, attempts: 2, wait: null })
  })

  it("gets its attempt back when its worker was stuck in something else", async () => {
    await holdAndDie(claimed(3), { kind: "proactive", unit: "ses_1", counted: true })
    assert.deepStrictEqual({ ...(await row()) }, { owner: null, attempts: 2, wait: null })
  })

  it("counts the attempt at which its worker died, and is retried at once the first time, then later", async () => {
    await holdAndDie(claimed(1))
    const first = await row()
    assert.deepStrictEqual([first.owner, first.attempts], [null, 1])
    assert.isAtMost(first.wait ?? assert.fail("no time"), 0)
    await holdAndDie(claimed(3))
    const third = await row()
    assert.deepStrictEqual([third.owner, third.attempts], [null, 3])
    assert.isAtMost(third.wait ?? assert.fail("no time"), 30)
    assert.isAbove(third.wait ?? 0, 0)
  })
})

describe("an eval run", () => {
  const place = async (owner: string) => {
    const { sql } = database
    await sql`delete from eval_results`
    await sql`delete from eval_runs`
    await sql`insert into eval_runs (app_id, run_id, suite_id, status, character_slug, character_version, reply_mode,
        engine, repeats, seed, cases, gates, max_cost_micro_usd, owner)
      values (${appId}, 'run_1', 'evs_1', 'running', 'edda', 1, 'fast', 'offline', 1, 1, '[]', '[]', 0, ${owner})`
    // One is being played, and one was when another worker died.
    await sql`insert into eval_results (app_id, run_id, place, case_key, repeat, attempts, owner)
      values (${appId}, 'run_1', 0, 'a', 1, 2, ${owner}), (${appId}, 'run_1', 1, 'b', 1, 1, null)`
  }
  const rows = async () => [...(await database.sql`select attempts, owner from eval_results order by place`)]

  it("gives only those cases their try back that were being played when its worker stopped", async () => {
    await holdAndStop(place)
    assert.deepStrictEqual(await rows(), [
      { attempts: 1, owner: null },
      { attempts: 1, owner: null }
    ])
  })

  it("counts only the cases that were being played when its worker died", async () => {
    await holdAndDie(place)
    assert.deepStrictEqual(await rows(), [
      { attempts: 2, owner: null },
      { attempts: 1, owner: null }
    ])
    assert.deepStrictEqual(await counted(), [])
  })

  it("counts a crash itself when its worker died between its cases", async () => {
    await holdAndDie(async (owner) => {
      await place(owner)
      await database.sql`update eval_results set owner = null`
    })
    assert.deepStrictEqual(await counted(), [["run_1", 1]])
  })
})

describe("a leased lane", () => {
  const lease =
    (sending: number | null, failures = 0) =>
    async (owner: string) => {
      const { sql } = database
      const session = await engine.createSession(appId)
      for (const table of ["lanes", "channels", "events"]) await sql`delete from ${sql(table)} where app_id = ${appId}`
      await sql`insert into channels (app_id, channel_id, kind, endpoint, target, events)
        values (${appId}, 'chn_1', 'webhook', 'e', '{}', '{message.created}')`
      for (const [cursor, type] of [
        [1, "message.created"],
        [2, "run.status"],
        [3, "message.created"]
      ] as const)
        await sql`insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
          values (${appId}, ${session}, ${cursor}, ${`evt_${session}_${cursor}`}, ${type}, 'user', 'run_1', 'api',
            '{}')`
      await sql`insert into lanes (app_id, session_id, channel_id, generation, position, head, status, owner, sending,
          failures) values (${appId}, ${session}, 'chn_1', 1, 1, 3, 'ready', ${owner}, ${sending}, ${failures})`
      return session
    }
  const lane = async () => {
    const [row] = await database.sql<
      Array<{ session_id: string; owner: string | null; status: string; wait: number; isPlanned: boolean }>
    >`select session_id, owner, status, extract(epoch from due_at - now())::float8 as wait,
        planned_at is not distinct from due_at as "isPlanned" from lanes where app_id = ${appId}`
    return row ?? assert.fail("no lane")
  }

  it("is ready at once when its worker stops, and counts nothing", async () => {
    await holdAndStop(lease(3))
    assert.deepInclude(await lane(), { owner: null, status: "ready" })
    assert.deepStrictEqual(await counted(), [])
  })

  it("counts a crash for the event that was being sent, or opened, and is ready at once", async () => {
    for (const sending of [3, null]) {
      await database.sql`delete from crashed_units`
      await holdAndDie(lease(sending))
      const { session_id, ...rest } = await lane()
      assert.deepInclude(rest, { owner: null, status: "ready" })
      assert.deepStrictEqual(await counted(), [[`chn_1 ${session_id} 3`, 1]])
    }
  })

  it("waits after several crashes, and no other success ends the wait", async () => {
    await holdAndDie(async (owner) => {
      const session = await lease(3, 2)(owner)
      await database.sql`insert into crashed_units (app_id, kind, unit, crashes)
        values (${appId}, 'delivery', ${`chn_1 ${session} 3`}, 3)`
    })
    const { wait, ...rest } = await lane()
    assert.deepInclude(rest, { owner: null, status: "waiting", isPlanned: true })
    assert.isAbove(wait, 0)
    assert.isAtMost(wait, 90)
  })

  it("is ready at once after each of five crashes with refusals of its receiver between them", async () => {
    const session = await lease(3)("wrk_none")
    for (let fence = 1; fence <= 5; fence++) {
      await holdAndDie(
        (owner) => database.sql`update lanes set owner = ${owner}, fence = ${fence} where app_id = ${appId}`
      )
      assert.deepInclude(await lane(), { owner: null, status: "ready" })
      assert.deepStrictEqual(await counted(), [[`chn_1 ${session} 3`, 1]])
      await database.sql`insert into delivery_attempts ${database.sql({
        app_id: appId,
        session_id: session,
        channel_id: "chn_1",
        cursor: 3,
        fence,
        event_id: `evt_${session}_3`,
        outcome: "not_sent",
        status_code: 500,
        started_at: new Date()
      })}`
    }
  })

  it("keeps the crashes of an event when a later attempt was interrupted, too", async () => {
    const session = await lease(3)("wrk_none")
    for (let fence = 1; fence <= 2; fence++) {
      await holdAndDie(
        (owner) =>
          database.sql`update lanes set owner = ${owner}, status = 'ready', fence = ${fence} where app_id = ${appId}`
      )
      await database.sql`insert into delivery_attempts (app_id, session_id, channel_id, cursor, fence, event_id,
          outcome, error_code, started_at)
        values (${appId}, ${session}, 'chn_1', 3, ${fence}, ${`evt_${session}_3`}, 'unknown', 'interrupted', now())`
    }
    assert.deepStrictEqual(await counted(), [[`chn_1 ${session} 3`, 2]])
  })
})
