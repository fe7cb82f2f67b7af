import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { createFleet, type Fleet } from "#test/support/Fleet.ts"
import { enableProactive, checkProactiveNow, shiftIntoPast } from "#test/support/proactive.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { until } from "#test/support/until.ts"

let fleet: Fleet
beforeEach(async () => {
  fleet = await createFleet()
})
afterEach(() => fleet.close())

const decisionsOf = async (app: TestApp, session: string) =>
  (await app.get(`/v1/apps/${app.appId}/proactive-policy/decisions?session_id=${session}`)).body.data.decisions
const typesOf = async (app: TestApp, session: string) =>
  (await app.events(session)).map(({ type, role }) => `${type} ${role}`)

describe("a proactive message", () => {
  it("is sent once if its worker is killed between the decision and the text, and the ledger matches", async () => {
    const app = fleet.clientOf(await fleet.start("api"))
    const victim = await fleet.start("worker")
    const session = await app.createSession()
    await enableProactive(app, session)
    await shiftIntoPast(fleet.database.sql, session, 13)
    await fleet.model.call(1)
    assert.deepInclude((await decisionsOf(app, session))[0], { decision: "sent", reason: "cold_initiate" })

    await victim.stop("SIGKILL")
    await fleet.start("worker")
    const again = await fleet.model.call(2)
    again.release()
    const said = await app.waitFor(session, ({ type }) => type === "character.initiated")
    assert.deepStrictEqual(said.payload["bubbles"], ["Carrot soup, bowl 2."])
    await checkProactiveNow(fleet.database.sql, session)
    await until("checked once more", async () => (await decisionsOf(app, session))[0].decision === "skipped")
    assert.deepStrictEqual(await typesOf(app, session), ["character.initiated character"])
    assert.strictEqual(
      (await decisionsOf(app, session)).filter(({ decision }: { decision: string }) => decision === "sent").length,
      1
    )
    const ledger = await fleet.database.sql`
      select sum(amount_micro_usd) filter (where entry <> 'settle')::int as held,
        sum(amount_micro_usd) filter (where entry = 'settle')::int as settled,
        array_to_string(array_agg(distinct activity), ' ') as activities from ledger where session_id = ${session}`
    const [turn] = await fleet.database
      .sql`select cost_micro_usd::int as cost, crashes from turns where session_id = ${session}`
    assert.deepInclude(ledger[0], { held: 0, settled: turn?.["cost"], activities: "proactive" })
    assert.strictEqual(turn?.["crashes"], 1)
  })

  it("is dropped if the person has written meanwhile, and the person gets an answer", async () => {
    const app = fleet.clientOf(await fleet.start("api,worker"))
    const session = await app.createSession()
    await enableProactive(app, session)
    await shiftIntoPast(fleet.database.sql, session, 13)
    const writing = await fleet.model.call(1)
    const { body } = await app.send(session, "Are you there?")
    writing.release()
    const answering = await fleet.model.call(2)
    answering.release()
    const answer = await app.waitFor(session, ({ type, role }) => type === "message.created" && role === "character")
    assert.strictEqual(answer.trace_id, body.data.run_ref)
    assert.deepStrictEqual(await typesOf(app, session), [
      "message.created user",
      "run.status character",
      "message.created character"
    ])
    assert.deepInclude((await decisionsOf(app, session)).at(-1), {
      decision: "skipped",
      skipped_by: "overtaken",
      reason: "cold_initiate"
    })
    assert.deepInclude((await app.get(`/v1/sessions/${session}/runs?kind=proactive`)).body.data.runs[0], {
      kind: "proactive",
      status: "withheld"
    })
  })

  it("is dropped if the gates refuse it by the time that it is written", async () => {
    const app = fleet.clientOf(await fleet.start("api,worker"))
    const session = await app.createSession()
    await enableProactive(app, session)
    await shiftIntoPast(fleet.database.sql, session, 13)
    const writing = await fleet.model.call(1)
    const { external_user_ref: person } = (await app.get(`/v1/sessions/${session}`)).body.data
    await app.patch(`/v1/end-users/${person}`, { blocked: true })
    writing.release()
    await until(
      "withheld",
      async () => (await app.get(`/v1/sessions/${session}/runs`)).body.data.runs[0].status === "withheld"
    )
    assert.deepStrictEqual(await typesOf(app, session), [])
    assert.deepInclude((await decisionsOf(app, session)).at(-1), {
      decision: "skipped",
      skipped_by: "end_user_blocked"
    })
  })
})
