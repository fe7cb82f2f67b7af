import { once } from "node:events"
import { readdirSync } from "node:fs"
import { resolve } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { cardV3 } from "#test/support/cards.ts"
import { createFleet, type Fleet } from "#test/support/Fleet.ts"
import { IMPORT_MARK, READING_MARK, TURN_MARK } from "#test/support/poisonedSource.ts"
import type { Answer, LogEvent, TestApp } from "#test/support/TestApp.ts"
import type { TroupeProcess } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"
import { isSoak } from "#test/support/suite/sized.ts"

const POISON = { NODE_OPTIONS: `--import=${resolve(import.meta.dirname, "../../support/poison.ts")}` }
/** The crashes to watch. `npm test` sets the count of those in between. */
const CRASHES = isSoak ? [1, 2, 3, 4, 5] : [1, 5]
/** The count to set after this crash, so that the next one is the next to watch. */
const countAfter = (crash: number) => (CRASHES.find((later) => later > crash) ?? crash + 1) - 1

let fleet: Fleet
beforeEach(async () => {
  fleet = await createFleet()
})
afterEach(() => fleet.close())

const isReply = (event: LogEvent) => event.type === "message.created" && event.role === "character"
const isFailure = (event: LogEvent) => event.type === "message.failed"

/** Waits until a process ends by itself. Returns how, and the line that it logs. */
const endOf = async (process: TroupeProcess) => {
  if (process.child.exitCode === null && process.child.signalCode === null) await once(process.child, "exit")
  const line = process
    .stderr()
    .split("\n")
    .find((text) => text.includes("event loop has been stuck"))
  return { signal: process.child.signalCode, said: line === undefined ? null : JSON.parse(line) }
}
const shape = ({ status, body }: Answer) => [status, body.detail?.code]
const crashedUnits = () =>
  fleet.database.sql<Array<{ kind: string; crashes: number }>>`select kind, crashes from crashed_units`
const crashesOf = async (session: string) =>
  (
    await fleet.database.sql<
      Array<{ crashes: number }>
    >`select crashes from turns where session_id = ${session} order by turn_index`
  ).map((row) => row.crashes)

describe("a text that blocks the event loop forever", () => {
  it(
    "in a turn, kills its process five times and then fails only its own turn; turns beside it get replies and " +
      "count no crash",
    async () => {
      let process = await fleet.start("api,worker", POISON)
      let app = fleet.clientOf(process)
      const innocent = await app.createSession()
      const poisoned = await app.createSession()
      await app.send(innocent, "What is for dinner?")
      await fleet.model.call(1)
      await app.send(poisoned, `This is a ${TURN_MARK}.`)
      for (const crash of CRASHES) {
        const { signal, said } = await endOf(process)
        assert.strictEqual(signal, "SIGKILL")
        assert.deepInclude(said, { unit: "turn", app_id: app.appId, key: `${poisoned} 1`, recorded: true })
        process = await fleet.start("api,worker", POISON)
        app = fleet.clientOf(process)
        await until("the crash to be counted", async () => ((await crashesOf(poisoned))[0] ?? 0) >= crash)
        await fleet.database.sql`update turns set crashes = ${countAfter(crash)} where session_id = ${poisoned}`
        // From the second crash on the turn waits for a while. This ends the wait.
        await fleet.database
          .sql`update turns set due_at = now() - interval '1 minute' where session_id = ${poisoned} and owner is null`
      }
      assert.deepStrictEqual((await app.waitFor(poisoned, isFailure)).payload, {
        turn_index: 1,
        reason: "generation_failed",
        recoverable: true
      })
      assert.deepStrictEqual(await crashesOf(innocent), [0])
      fleet.model.answerAfter(0)
      for (const call of fleet.model.calls) call.release()
      await app.waitFor(innocent, isReply)
      assert.isTrue(isReply(await app.converse(poisoned, "And now something else.")))
    }
  )

  it("in memory extraction, kills its process five times and is then skipped; later turns are processed", async () => {
    fleet.model.answerAfter(0)
    let process = await fleet.start("api,worker", POISON)
    let app = fleet.clientOf(process)
    const session = await app.createSession()
    await app.send(session, `This is a ${READING_MARK}.`)
    for (const crash of CRASHES) {
      const { signal, said } = await endOf(process)
      assert.strictEqual(signal, "SIGKILL")
      assert.deepInclude(said, {
        unit: "reading",
        app_id: app.appId,
        key: `${session} 1`,
        recorded: true
      })
      assert.deepStrictEqual([...(await crashedUnits())], [{ kind: "reading", crashes: crash }])
      await fleet.database.sql`update crashed_units set crashes = ${countAfter(crash)}`
      process = await fleet.start("api,worker", POISON)
      app = fleet.clientOf(process)
    }
    assert.isTrue(isReply(await app.converse(session, "My sister Nadia plays the cello.")))
    await until(
      "memory extraction of the later turn",
      async () =>
        (await fleet.database.sql`select 1 from relationships where session_id = ${session} and read_turn = 2`)
          .length === 1
    )
    assert.deepStrictEqual(await crashesOf(session), [0, 0])
    const { trace } = (await app.get(`/v1/sessions/${session}/trace`)).body.data
    assert.include(JSON.stringify(trace), '"crashed"')
  })

  it(
    "in an import, kills the thread that reads it five times and is then refused unread, while other requests " +
      "are answered",
    async () => {
      const send = (app: TestApp, description: string) => app.post("/v1/imports", { json: cardV3({ description }) })
      const process = await fleet.start("api", POISON)
      const app = fleet.clientOf(process)
      for (const crash of CRASHES) {
        const sent = send(app, `This is a ${IMPORT_MARK}.`)
        assert.strictEqual((await app.get("/v1/characters")).status, 200)
        assert.deepStrictEqual(shape(await sent), [422, "import_unreadable"])
        assert.deepStrictEqual([...(await crashedUnits())], [{ kind: "request", crashes: crash }])
        await fleet.database.sql`update crashed_units set crashes = ${countAfter(crash)}`
      }
      assert.isNull(process.child.exitCode)
      const refused = await send(app, `This is a ${IMPORT_MARK}.`)
      assert.deepStrictEqual(shape(refused), [422, "request_given_up"])
      assert.strictEqual((await send(app, "She keeps an inn.")).status, 200)
    }
  )
})

describe("a process that is suspended for longer than an event loop may be stuck", () => {
  it("is not killed when it continues", async () => {
    const process = await fleet.start("api,worker", POISON)
    const app = fleet.clientOf(process)
    const at = performance.now()
    process.child.kill("SIGSTOP")
    await until("five seconds and more to pass", () => performance.now() - at > 5_500)
    process.child.kill("SIGCONT")
    fleet.model.answerAfter(0)
    assert.isTrue(isReply(await app.converse(await app.createSession(), "What is for dinner?")))
    assert.notInclude(process.stderr(), "event loop has been stuck")
  })

  it("does not refuse the body that it was reading", async () => {
    const process = await fleet.start("api", POISON)
    const app = fleet.clientOf(process)
    const threads = () => readdirSync(`/proc/${process.child.pid}/task`).length
    const before = threads()
    let isAnswered = false
    const sent = app.post("/v1/imports", { json: cardV3({ description: "She keeps an inn." }) }).finally(() => {
      isAnswered = true
    })
    // The thread ends soon after its body.
    await until("a thread to read the body", () => threads() > before || isAnswered)
    const at = performance.now()
    process.child.kill("SIGSTOP")
    await until("three seconds and more to pass", () => performance.now() - at > 3_500)
    process.child.kill("SIGCONT")
    assert.strictEqual((await sent).status, 200)
  })

  it("still exits with 0 when it is asked to stop", async () => {
    const process = await fleet.start("api,worker")
    assert.strictEqual(await process.stop("SIGTERM"), 0)
  })
})
