import { assert, it } from "vitest"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { type Answer, TestApp } from "#test/support/TestApp.ts"
import { createTestDatabase } from "#test/support/TestDatabase.ts"
import { startTroupe } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

it("a demo key is only in the response that issues it, and in no log line, row, job or other response", async () => {
  const database = await createTestDatabase()
  const { sql } = database
  // Jobs are deleted when they are done, so each one is copied when it is written.
  await sql`create table job_copies (job text)`
  await sql`create function copy_job() returns trigger language plpgsql as
    'begin insert into job_copies values (new::text); return new; end'`
  await sql`create trigger copy_job after insert
    or update on graphile_worker._private_jobs for each row execute function copy_job()`
  const server = await startTroupe({ DATABASE_URL: database.url, SECRETS_KEY })
  try {
    const { data } = (await new TestApp(server.baseUrl, "", "").post("/v1/demo/sandbox-key", undefined)).body
    const app = new TestApp(server.baseUrl, data.app_id, data.api_key)
    const seen: Array<string> = []
    const note = ({ headers, body }: Answer) => seen.push(JSON.stringify([...headers]), JSON.stringify(body))
    const session = await app.createSession({ character_slug: data.character_slugs[0] })
    await app.converse(session, "Hello")
    note(await app.delete(`/v1/end-users/${(await app.get(`/v1/sessions/${session}`)).body.data.external_user_ref}`))
    for (const [method, path] of [
      ["GET", "/v1/me"],
      ["GET", "/v1/account"],
      ["POST", "/v1/images"],
      ["GET", "/v1/usage"],
      ["POST", `/v1/sessions/${session}/channels`],
      ["POST", "/v1/characters"]
    ] as const) {
      note(await app.request(method, path, method === "GET" ? undefined : "{not json"))
    }
    await sql`update api_keys set expires_at = now() - interval '1 hour' where app_id = ${app.appId}`
    await sql`select graphile_worker.add_job('sandboxes', '{}'::json)`
    await until(
      "the sandbox to be gone",
      async () => (await sql`select 1 from apps where app_id = ${app.appId}`).length === 0
    )
    await until("the key to be refused", async () => (await app.get("/v1/me")).status === 403)
    note(await app.get("/v1/me"))
    await server.stop("SIGTERM")

    const tables = await sql<
      Array<{ name: string }>
    >`select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema in ('public', 'graphile_worker')`
    const rows = (await Promise.all(tables.map(({ name }) => sql.unsafe(`select t::text as row from ${name} t`))))
      .flat()
      .map((row) => String(row["row"]))
    assert.isTrue(rows.some((row) => row.includes(app.appId)))
    // The part after the prefix. The prefix may be shown.
    const secret = app.key.slice(11)
    for (const text of [server.stdout(), server.stderr(), ...rows, ...seen]) assert.notInclude(text, secret)
  } finally {
    await server.stop("SIGKILL")
    await database.drop()
  }
})
