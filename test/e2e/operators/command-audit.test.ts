import { randomBytes } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { runTroupe } from "#test/support/TroupeProcess.ts"

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const entriesOf = async (action: string) => {
  const rows = await server.database.sql<
    Array<{ actor_kind: string; actor: string | null; app_id: string | null; subject: string | null; detail: object }>
  >`select actor_kind, actor, app_id, subject, detail from audit_log where action = ${action} order by entry_id`
  return [...rows]
}
const run = async (env: Record<string, string>, ...args: ReadonlyArray<string>) => {
  const { code, stdout, stderr } = await runTroupe({ DATABASE_URL: server.database.url, ...env }, args)
  assert.deepStrictEqual([code, stderr], [0, ""])
  return JSON.parse(stdout)
}

describe("a command that changes something is in the audit log", () => {
  it("troupe rebuild, with what came of it, and only if there is such a session", async () => {
    const app = await server.createApp()
    const session = await app.createSession()
    await app.converse(session, "My sister Nadia plays the cello.")
    const { session_id, ...rebuilt } = await run({}, "rebuild", session)
    assert.strictEqual(session_id, session)
    await runTroupe({ DATABASE_URL: server.database.url }, ["rebuild", "ses_nobody"])
    assert.deepStrictEqual(await entriesOf("session.rebuilt"), [
      { actor_kind: "operator", actor: null, app_id: app.appId, subject: session, detail: rebuilt }
    ])
  })

  it("troupe secrets rotate, once for each run, without a key", async () => {
    const [first, second] = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")]
    await run({ SECRETS_KEY, SECRETS_KEY_NEW: first }, "secrets", "rotate")
    await run({ SECRETS_KEY: first, SECRETS_KEY_NEW: second }, "secrets", "rotate")
    const entries = await entriesOf("secrets.rotated")
    assert.lengthOf(entries, 2)
    for (const key of [SECRETS_KEY, first, second]) assert.notInclude(JSON.stringify(entries), key)
    assert.deepInclude(entries[0], { actor_kind: "operator", actor: null, app_id: null })
  })
})
