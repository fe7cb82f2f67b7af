import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { createFleet, type Fleet } from "#test/support/Fleet.ts"
import type { LogEvent, TestApp } from "#test/support/TestApp.ts"
import { until } from "#test/support/until.ts"

let fleet: Fleet
beforeEach(async () => {
  fleet = await createFleet()
})
afterEach(() => fleet.close())

const isReply = (event: LogEvent) => event.type === "message.created" && event.role === "character"
const isFailure = (event: LogEvent) => event.type === "message.failed"

/**
 * The whole log, which must contain this one answer to this one send: no gap in the cursors, no failure, the reply
 * once.
 */
const onlyReply = async (app: TestApp, session: string): Promise<LogEvent> => {
  const events = await app.events(session)
  assert.deepStrictEqual(
    events.map(({ cursor, type, role }) => `${cursor} ${type} ${role}`),
    ["1 message.created user", "2 run.status character", "3 message.created character"]
  )
  return events[2] as LogEvent
}

const registered = async () =>
  (await fleet.database.sql<Array<{ worker_id: string }>>`select worker_id from workers`).map((row) => row.worker_id)
const crashesOf = async (session: string) =>
  (
    await fleet.database.sql<
      Array<{ crashes: number }>
    >`select crashes from turns where session_id = ${session} order by turn_index`
  ).map((row) => row.crashes)

describe("a turn whose worker dies", () => {
  it("runs again after a SIGKILL if another process is alive, as its lock is free, and gets one reply", async ({
    annotate
  }) => {
    const app = fleet.clientOf(await fleet.start("api"))
    const victim = await fleet.start("worker")
    const session = await app.createSession()
    await app.send(session, "What is for dinner?")
    await fleet.model.call(1)
    const [victimId = ""] = await registered()
    await fleet.start("worker")

    const killedAt = performance.now()
    await victim.stop("SIGKILL")
    // Its silence is never noticed.
    await fleet.database.sql`update workers set heartbeat_at = now() + interval '1 day' where worker_id = ${victimId}`
    const rerun = await fleet.model.call(2)
    const delay = rerun.at - killedAt
    await annotate(`rerun began ${Math.round(delay)} ms after the kill`)

    rerun.release()
    await app.waitFor(session, isReply)
    assert.strictEqual((await onlyReply(app, session)).payload["text"], "Carrot soup, bowl 2.")
    assert.strictEqual(fleet.model.calls.length, 2)
  })

  it("waits for a restart if no other process is alive, and then gets one reply and no failure", async ({
    annotate
  }) => {
    const victim = await fleet.start("api,worker")
    const before = fleet.clientOf(victim)
    const session = await before.createSession()
    await before.send(session, "What is for dinner?")
    await fleet.model.call(1)
    await victim.stop("SIGKILL")

    const app = fleet.clientOf(await fleet.start("api,worker"))
    const readyAt = performance.now()
    const rerun = await fleet.model.call(2)
    await annotate(`rerun began ${Math.round(rerun.at - readyAt)} ms after the restarted process was ready`)
    rerun.release()
    await app.waitFor(session, isReply)
    await onlyReply(app, session)
    assert.deepStrictEqual(await crashesOf(session), [1])
  })

  it(
    "ends as message.failed after it has crashed five workers, without another attempt, and the next send is " +
      "answered",
    async () => {
      const app = fleet.clientOf(await fleet.start("api"))
      const session = await app.createSession()
      await app.send(session, "Say the word that kills you.")
      for (let crash = 1; crash <= 5; crash++) {
        const victim = await fleet.start("worker")
        await fleet.model.call(crash)
        await victim.stop("SIGKILL")
        await until("the crash to be counted", async () => (await crashesOf(session))[0] === crash)
        // From the second crash on it waits for a while. This ends the wait.
        await fleet.database.sql`update turns set due_at = now() - interval '1 minute' where session_id = ${session}`
      }
      await fleet.start("worker")

      const failed = await app.waitFor(session, isFailure)
      assert.deepStrictEqual(failed.payload, { turn_index: 1, reason: "generation_failed", recoverable: true })
      assert.strictEqual(fleet.model.calls.length, 5)

      fleet.model.answerAfter(0)
      await app.send(session, "And now something else.")
      await app.waitFor(session, isReply)
    }
  )
})

describe("a worker that only seems dead", () => {
  it("writes nothing when it wakes up after its turn was taken over, and keeps working", async ({ annotate }) => {
    const app = fleet.clientOf(await fleet.start("api"))
    const zombie = await fleet.start("worker")
    const session = await app.createSession()
    await app.send(session, "What is for dinner?")
    const first = await fleet.model.call(1)
    const [zombieId] = await registered()
    const other = await fleet.start("worker")

    const stoppedAt = performance.now()
    zombie.child.kill("SIGSTOP")
    const [before] = await fleet.database.sql<Array<{ silentMs: number }>>`
      select (extract(epoch from clock_timestamp() - heartbeat_at) * 1000)::float8 as "silentMs" from workers
      where worker_id = ${zombieId ?? ""}`
    const rerun = await fleet.model.call(2)
    await annotate(`taken over ${Math.round(rerun.at - stoppedAt)} ms after the SIGSTOP`)
    // It counts from its last heartbeat, which may have been late.
    assert.isAtLeast(rerun.at - stoppedAt + (before?.silentMs ?? 0), 10_000)

    // It wakes up, gets its answer and writes it, while the turn is still running elsewhere.
    zombie.child.kill("SIGCONT")
    first.release()
    await until("the zombie to register again", async () => {
      const ids = await registered()
      return ids.length === 2 && zombieId !== undefined && !ids.includes(zombieId)
    })
    assert.isAbove(first.endedAt(), 0)
    assert.deepStrictEqual((await app.events(session)).filter(isReply), [])
    rerun.release()
    await app.waitFor(session, isReply)
    assert.strictEqual((await onlyReply(app, session)).payload["text"], "Carrot soup, bowl 2.")

    await other.stop("SIGKILL")
    fleet.model.answerAfter(0)
    const next = await app.converse(session, "And for breakfast?")
    assert.isTrue(isReply(next))
    assert.deepStrictEqual(
      (await app.events(session)).map((event) => event.cursor),
      [1, 2, 3, 4, 5, 6]
    )
  })

  it("takes its lock again under its own id if its connection is cut, and runs no turn again", async ({ annotate }) => {
    const app = fleet.clientOf(await fleet.start("api,worker"))
    const session = await app.createSession()
    await app.send(session, "What is for dinner?")
    const first = await fleet.model.call(1)
    const [oldId] = await registered()

    const cutAt = performance.now()
    const cut = await fleet.database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
        and application_name = 'troupe-worker'`
    assert.strictEqual(cut.length, 1)
    await until("the lock is held again", async () => {
      const held = await fleet.database.sql`
        select 1 from pg_locks join workers on locktype = 'advisory'
          and ((classid::bigint << 32) | objid::bigint) = hashtextextended(worker_id, 0)
        where granted and worker_id = ${oldId ?? ""}`
      return held.length === 1
    })
    await annotate(`held again ${Math.round(performance.now() - cutAt)} ms after the cut`)

    first.release()
    await app.waitFor(session, isReply)
    await onlyReply(app, session)
    fleet.model.answerAfter(0)
    assert.isTrue(isReply(await app.converse(session, "And for breakfast?")))
    assert.strictEqual(fleet.model.calls.length, 2)
    assert.deepStrictEqual(await registered(), [oldId])
    assert.deepStrictEqual(
      (await app.events(session)).map((event) => event.cursor),
      [1, 2, 3, 4, 5, 6]
    )
  })
})

describe("a worker that is asked to stop", () => {
  it("releases an unfinished turn, which another process answers, and exits with 0 without its model", async ({
    annotate
  }) => {
    const app = fleet.clientOf(await fleet.start("api"))
    const leaving = await fleet.start("worker")
    const session = await app.createSession()
    await app.send(session, "What is for dinner?")
    await fleet.model.call(1)
    await fleet.start("worker")

    const askedAt = performance.now()
    const left = leaving.stop("SIGTERM").then((code) => ({ code, after: performance.now() - askedAt }))
    const rerun = await fleet.model.call(2)
    rerun.release()
    await app.waitFor(session, isReply)
    await onlyReply(app, session)
    const { code, after } = await left
    await annotate(
      `rerun began ${Math.round(rerun.at - askedAt)} ms, exit came ${Math.round(after)} ms after the SIGTERM`
    )
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(await crashesOf(session), [0])
  })

  it("finishes a turn that ends in time, and then does not wait any longer", async () => {
    const app = fleet.clientOf(await fleet.start("api"))
    const leaving = await fleet.start("worker")
    const session = await app.createSession()
    await app.send(session, "What is for dinner?")
    const call = await fleet.model.call(1)

    // A worker of another installation, whose turn does not end, is asked at the same time.
    const others = await createFleet()
    try {
      const holding = await others.start("api,worker")
      const other = others.clientOf(holding)
      await other.send(await other.createSession(), "What is for dinner?")
      await others.model.call(1)

      const held = holding.stop("SIGTERM").then(() => "waited for its turn")
      const left = leaving.stop("SIGTERM")
      call.release()
      assert.strictEqual(await Promise.race([left, held]), 0)
    } finally {
      await others.close()
    }
    await onlyReply(app, session)
    assert.strictEqual(fleet.model.calls.length, 1)
  })
})

describe("waiting turns", () => {
  it("are found by the sweeper if their job is lost", async ({ annotate }) => {
    const app = fleet.clientOf(await fleet.start("api"))
    const session = await app.createSession()
    await app.send(session, "What is for dinner?")
    assert.strictEqual((await fleet.database.sql`delete from graphile_worker._private_jobs returning 1`).length, 1)
    fleet.model.answerAfter(0)
    await fleet.start("worker")
    const readyAt = performance.now()
    await app.waitFor(session, isReply)
    await annotate(`answered ${Math.round(performance.now() - readyAt)} ms after the worker was ready`)
    await onlyReply(app, session)
  })

  it("of one session run one at a time and in order, whichever process runs them", async () => {
    const app = fleet.clientOf(await fleet.start("api,worker"))
    await fleet.start("worker")
    const session = await app.createSession()
    const runs: Array<string> = []
    for (let n = 1; n <= 10; n++) runs.push((await app.send(session, `Message number ${n}.`)).body.data.run_ref)
    await fleet.model.call(1)
    fleet.model.answerAfter(50)
    fleet.model.calls[0]?.release()

    await app.waitFor(session, (event) => isReply(event) && event.trace_id === runs[9])
    const events = await app.events(session)
    assert.deepStrictEqual(
      events.filter(isReply).map((event) => event.trace_id),
      runs
    )
    assert.deepStrictEqual(
      events.map((event) => event.cursor),
      Array.from({ length: 30 }, (_, i) => i + 1)
    )
    const { calls } = fleet.model
    assert.strictEqual(calls.length, 10)
    calls.forEach((call, i) => {
      assert.include(call.prompt, `number ${i + 1}.`)
      assert.isAtMost(calls[i - 1]?.endedAt() ?? 0, call.at)
    })
  })
})
