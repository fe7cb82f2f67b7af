import { once } from "node:events"
import { resolve } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { createAppIn } from "#test/support/accounts/createAppIn.ts"
import { CHECK_MARK } from "#test/support/hostile/poisonedSource.ts"
import { enableProactive } from "#test/support/conversation/proactive.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { startTroupe, type TroupeProcess } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

const POISON = resolve(import.meta.dirname, "../../support/hostile/poison.ts")
/** Sessions before the guilty one in its batch, and after it. Four are checked at once. */
const [BEFORE, AFTER] = [2, 15]

let database: TestDatabase
let processes: Array<TroupeProcess>
let app: TestApp

const serve = async (roles: "api" | "worker") => {
  const process = await startTroupe({
    NODE_ENV: "production",
    SECRETS_KEY,
    DATABASE_URL: database.url,
    ROLES: roles,
    POISON_PATIENT: "1",
    NODE_OPTIONS: `--import=${POISON}`
  })
  processes.push(process)
  return process
}

beforeEach(async () => {
  database = await createTestDatabase()
  processes = []
  const { appId, key } = await createAppIn(database.sql)
  app = new TestApp((await serve("api")).baseUrl, appId, key)
})
afterEach(async () => {
  await Promise.all(processes.map((process) => process.stop("SIGKILL")))
  await database.drop()
})

const crashesOf = async (session: string) => {
  const [row] = await database.sql<Array<{ crashes: number }>>`
    select crashes from crashed_units where kind = 'proactive' and unit = ${session}`
  return row?.crashes ?? 0
}
const decisionsOf = async (session: string) =>
  (await app.get(`/v1/apps/${app.appId}/proactive-policy/decisions?session_id=${session}`)).body.data.decisions
const whenDecided = (session: string) =>
  until("the session to be decided on", async () => (await decisionsOf(session))[0])
const startSessions = async (count: number) => {
  const sessions: Array<string> = []
  for (let i = 0; i < count; i++) sessions.push(await app.createSession())
  for (const session of sessions) await enableProactive(app, session)
  return sessions
}
/** Makes these sessions due, all at the same time. */
const makeDue = async (sessions: ReadonlyArray<string>) => {
  await database.sql`update relationships set initiate_at = now() where session_id = any(${[...sessions]}::text[])`
  await database.sql`select graphile_worker.add_job('initiate')`
}

describe("a proactive check that aborts its process", () => {
  it("is given up after five crashes, while the rest of its batch is decided and counts no crash", async () => {
    const before = await startSessions(BEFORE)
    const [guilty = ""] = await startSessions(1)
    const after = await startSessions(AFTER)
    const at = new Date(Date.now() + 3_600_000).toISOString()
    const scheduled = await app.post(`/v1/sessions/${guilty}/proactive/schedule`, { at, topic: CHECK_MARK })
    assert.strictEqual(scheduled.status, 200)

    let worker = await serve("worker")
    await makeDue([...before, guilty, ...after])
    for (const crash of [1, 2, 3, 4, 5]) {
      const { child } = worker
      if (child.signalCode === null) assert.deepStrictEqual(await once(child, "exit"), [null, "SIGABRT"])
      await until("the crash to be counted", async () => (await crashesOf(guilty)) === crash)
      assert.strictEqual(await crashesOf(after.at(-1) ?? ""), 0, "its check had not begun")
      // It is checked once the worker is ready, and not before the others.
      await database.sql`update relationships set initiate_at = 'infinity' where session_id = ${guilty}`
      worker = await serve("worker")
      for (const session of crash === 1 ? [...before, ...after] : []) await whenDecided(session)
      await makeDue([guilty])
    }
    const decision = await whenDecided(guilty)
    assert.deepInclude(decision, { decision: "skipped", skipped_by: "crashed", reason: null, run_ref: null })
    assert.isAbove(Date.parse(decision.next_eligible_at), Date.now() + 23 * 3_600_000)
    await until("the log to say so", () => worker.stderr().includes("proactive check given up"))
    assert.isNull(worker.child.signalCode)
    assert.deepStrictEqual(await database.sql`select unit, crashes from crashed_units`.then((rows) => [...rows]), [
      { unit: guilty, crashes: 5 }
    ])
  })
})
