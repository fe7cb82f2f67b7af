import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { allTables } from "#src/db/catalogue/allTables.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const REF = "phoenix"

let server: TestServer
let app: TestApp
beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
})
afterAll(() => server.close())

describe("a person who is erased and comes back before that is completed", () => {
  it("leaves nothing from before in any table of theirs", async () => {
    const { sql } = server.database
    const character_slug = await app.createCharacter()
    const open = (end_user?: object) =>
      app.createSession({ character_slug, external_user_ref: REF, ...(end_user !== undefined && { end_user }) })
    const session = await open({ display_name: "Orange Cat", timezone: "Europe/Oslo" })
    await app.converse(session, "My secret is an orange cat")
    await app.post(`/v1/sessions/${session}/memories`, { text: "Has an orange cat" })
    await app.post(`/v1/sessions/${session}/proactive/schedule`, {
      at: new Date(Date.now() + 86_400_000).toISOString(),
      text: "How is the orange cat?"
    })
    // Holds on to the session, so that the erasure is not completed before the person is back.
    await sql`create table holds (app_id text, session_id text, foreign key (app_id,
      session_id) references sessions (app_id, session_id))`
    await sql`insert into holds values (${app.appId}, ${session})`
    const { erasure_id } = (await app.delete(`/v1/end-users/${REF}`)).body.data
    const back = await open()
    await sql`delete from holds`
    await sql`select graphile_worker.add_job('erasures', '{}'::json)`
    await until(
      "the erasure to be completed",
      async () => (await app.get(`/v1/erasures/${erasure_id}`)).body.data.status === "completed"
    )

    for (const { name, owners } of allTables.filter(({ owners }) => owners.person !== undefined)) {
      const found = await sql`
        select t::text as row from ${sql(name)} t where t.app_id = ${app.appId}
          and t.${sql(owners.person ?? "")} = ${REF} and t::text ~* 'orange.cat|Oslo'`
      assert.deepStrictEqual([...found], [], name)
    }
    assert.strictEqual((await app.converse(back, "Hello")).type, "message.created")
  })
})
