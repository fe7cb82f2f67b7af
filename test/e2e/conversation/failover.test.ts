import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { createFleet, type Fleet } from "#test/support/Fleet.ts"
import { type ReplicatedPostgres, startReplicatedPostgres } from "#test/support/postgres/ReplicatedPostgres.ts"
import type { LogEvent } from "#test/support/TestApp.ts"
import { until } from "#test/support/until.ts"

let postgres: ReplicatedPostgres
let fleet: Fleet
const startFleet = async (options: { readonly synchronous: boolean }) => {
  postgres = await startReplicatedPostgres(options)
  fleet = await createFleet(postgres.database)
}
afterEach(() => fleet.close())

const SESSIONS = 12
const workerIds = async () =>
  (await fleet.database.sql<Array<{ worker_id: string }>>`select worker_id from workers order by worker_id`).map(
    (row) => row.worker_id
  )
const isReply = (event: LogEvent) => event.type === "message.created" && event.role === "character"

describe("a failover to a synchronous standby", () => {
  beforeEach(() => startFleet({ synchronous: true }))

  it("loses no acknowledged message and runs no turn again", async ({ annotate }) => {
    const [one, two] = [await fleet.start("api,worker"), await fleet.start("api,worker")]
    const [app, other] = [fleet.clientOf(one), fleet.clientOf(two)]
    const sessions: Array<string> = []
    for (let n = 0; n < SESSIONS; n++) sessions.push(await app.createSession())
    for (const session of sessions) await app.send(session, "What is for dinner?")
    await fleet.model.call(SESSIONS)
    const workers = await workerIds()

    await postgres.killPrimary()
    await postgres.promote()
    const promotedAt = performance.now()
    const session = await until("a session on the new primary", () => other.createSession().catch(() => false as const))
    const waited = performance.now() - promotedAt
    await annotate(`first answer ${Math.round(waited)} ms after the promotion`)

    for (const call of fleet.model.calls) call.release()
    for (const sent of sessions) {
      await app.waitFor(sent, isReply)
      const events = await app.events(sent)
      assert.deepStrictEqual(
        events.map(({ cursor, type, role }) => `${cursor} ${type} ${role}`),
        ["1 message.created user", "2 run.status character", "3 message.created character"]
      )
    }
    assert.strictEqual(fleet.model.calls.length, SESSIONS)
    const crashes = await fleet.database.sql<Array<{ crashes: number }>>`select distinct crashes from turns`
    assert.deepStrictEqual(
      crashes.map((row) => row.crashes),
      [0]
    )
    assert.deepStrictEqual(await workerIds(), workers, "each process holds its lock under its own id again")

    // Everything works on the new primary.
    await other.send(session, "And now?")
    ;(await fleet.model.call(SESSIONS + 1)).release()
    await other.waitFor(session, isReply)
  })
})

describe("a failover to a standby that lacks an acknowledged message", () => {
  beforeEach(() => startFleet({ synchronous: false }))

  it("tells the reader of that log so, and a reader of another log nothing", async () => {
    const app = fleet.clientOf(await fleet.start("api,worker"))
    const [lost, kept] = [await app.createSession(), await app.createSession()]
    const { cursor: whole } = (await app.send(kept, "What is for dinner?")).body.data
    await postgres.stopReplication()
    const { cursor } = (await app.send(lost, "What is for dinner?")).body.data
    await postgres.killPrimary()
    await postgres.promote()

    const { body } = await until("an answer of the new primary", async () => {
      const answer = await app.get(`/v1/sessions/${lost}/events?since=${cursor}`)
      return answer.status === 410 && answer
    })
    assert.strictEqual(body.detail.code, "cursor_expired")
    assert.include(body.detail.message, "lost in a failover")
    assert.strictEqual((await app.get(`/v1/sessions/${kept}/events?since=${whole}`)).status, 200)
  })
})
