import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freePort } from "#test/support/freePort.ts"
import { onDatabase } from "#test/support/postgres/onDatabase.ts"
import { type Receiver, startReceiver } from "#test/support/Receiver.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { runTroupe } from "#test/support/TroupeProcess.ts"

/** What answers, as a model does. */
const COMPLETION = JSON.stringify({
  id: "1",
  object: "chat.completion",
  created: 1,
  model: "gpt-5-mini",
  choices: [{ index: 0, message: { role: "assistant", content: "OK" }, finish_reason: "stop" }]
})

let database: TestDatabase
let reachable: Receiver
let failing: Receiver
beforeAll(async () => {
  database = await createTestDatabase()
  reachable = await startReceiver((response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(COMPLETION)
  )
  failing = await startReceiver((response) => response.writeHead(401).end("{}"))
})
afterAll(async () => {
  await reachable.close()
  await failing.close()
  await database.drop()
})

interface Found {
  readonly check: string
  readonly status: string
  readonly message: string
  readonly fix: string | null
}
const examine = async (env: Record<string, string>, ...args: ReadonlyArray<string>) => {
  const { code, stdout, stderr } = await runTroupe(env, ["doctor", "--json", ...args])
  assert.strictEqual(stderr, "")
  const { ok, checks } = JSON.parse(stdout) as { readonly ok: boolean; readonly checks: ReadonlyArray<Found> }
  assert.strictEqual(code, ok ? 0 : 1)
  return {
    ok,
    wrong: checks.filter(({ status }) => status === "wrong").map(({ check }) => check),
    of: (check: string) => checks.find((found) => found.check === check)
  }
}
const healthy = () => ({
  DATABASE_URL: database.url,
  SECRETS_KEY,
  PUBLIC_URL: new URL(reachable.url).origin,
  OPENAI_BASE_URL: reachable.url,
  TELEGRAM_API_ROOT: reachable.url,
  OUTBOUND_ALLOW: "127.0.0.1"
})

describe("troupe doctor", () => {
  it("finds nothing wrong with a server that has what it needs", async () => {
    const { ok, wrong } = await examine(healthy(), "--webhook", `${reachable.url}/hook`)
    assert.deepStrictEqual([ok, wrong], [true, []])
    const { stdout } = await runTroupe(healthy(), ["doctor"])
    assert.match(stdout, /^ok {6}database {4}The database answers\.$/m)
    assert.match(stdout, /^skipped egress {6}Give --webhook URL/m)
  })

  it("names a wrong key, an old schema, a missing privilege and what is unreachable, each with its fix", async () => {
    const { sql } = database
    await sql`insert into secrets_check (sealed) values (${randomBytes(45)}) on conflict do nothing`
    await sql`delete from schema_migrations where name like '0044%'`
    await sql`revoke all on schema public from pg_database_owner`
    const closed = `http://127.0.0.1:${await freePort()}`
    const { wrong, of } = await examine(
      {
        ...healthy(),
        AUTO_MIGRATE: "false",
        PUBLIC_URL: "http://troupe.example",
        OPENAI_BASE_URL: failing.url,
        TELEGRAM_API_ROOT: closed,
        TELEGRAM_MANAGER_TOKEN: `123456789:${"A".repeat(35)}`,
        OUTBOUND_ALLOW: ""
      },
      "--webhook",
      `${reachable.url}/hook`
    )
    await sql`grant all on schema public to pg_database_owner`
    assert.sameMembers([...wrong], ["schema", "privileges", "secrets_key", "public_url", "model", "telegram", "egress"])
    assert.include(of("model")?.message, "http_401")
    assert.include(of("egress")?.fix, "OUTBOUND_ALLOW")
    assert.include(of("schema")?.message, "0044")
    for (const check of wrong) assert.isNotEmpty(of(check)?.fix)
  })

  it("says why the database cannot be used, and skips what depends on it", async () => {
    const missing = await examine({ ...healthy(), DATABASE_URL: onDatabase(database.url, "nowhere") })
    assert.deepStrictEqual(missing.wrong, ["database"])
    assert.include(missing.of("database")?.message, "no database of this name")
    assert.strictEqual(missing.of("schema")?.status, "skipped")
    const away = await examine({
      ...healthy(),
      DATABASE_URL: `postgres://nobody@127.0.0.1:${await freePort()}/none`,
      PUBLIC_URL: new URL(failing.url).origin
    })
    assert.deepStrictEqual(away.wrong, ["database", "public_url"])
  })

  it("is content with a fresh machine: Telegram that nothing needs, and folders that do not exist yet", async () => {
    const fresh = await createTestDatabase()
    const folder = await mkdtemp(join(tmpdir(), "troupe-doctor-"))
    try {
      const env = {
        DATABASE_URL: fresh.url,
        DATA_DIR: join(folder, "data/of/nobody"),
        TELEGRAM_API_ROOT: `http://127.0.0.1:${await freePort()}`
      }
      const unused = await examine(env)
      assert.deepStrictEqual([unused.ok, unused.wrong], [true, []])
      assert.strictEqual(unused.of("telegram")?.status, "warning")
      assert.strictEqual(unused.of("disk")?.status, "skipped")
      await fresh.sql`insert into apps (app_id, name) values ('app_1', 'Shop')`
      await fresh.sql`insert into characters (app_id, slug, version) values ('app_1', 'mara', 1)`
      await fresh.sql`insert into telegram_bots (app_id, channel_id, mode, character_slug, status)
        values ('app_1', 'bot_1', 'byo', 'mara', 'active')`
      assert.deepStrictEqual((await examine(env)).wrong, ["telegram"])
    } finally {
      await fresh.drop()
      await rm(folder, { recursive: true })
    }
  })

  it.each([
    ["writes no JSON", COMPLETION, "warning", /writes no JSON/, /OPENAI_JSON=none/],
    ["answers with nothing", JSON.stringify({ choices: [] }), "wrong", /bad_response, no_answer/, /OPENAI_BASE_URL/],
    ["has no credit", JSON.stringify({ error: { code: 402 } }), "wrong", /http_402, out_of_credit/, /bill/],
    ["is silent", null, "wrong", /timeout.*still loading/, /OPENAI_TIMEOUT_SECONDS/]
  ] as const)("asks the model as a turn does, and says so if it %s", async (_, body, status, message, fix) => {
    const model = await startReceiver((response) => {
      if (body !== null) response.writeHead(200, { "content-type": "application/json" }).end(body)
    })
    try {
      const { of } = await examine({ ...healthy(), OPENAI_BASE_URL: model.url, OPENAI_TIMEOUT_SECONDS: "1" })
      assert.strictEqual(of("model")?.status, status)
      assert.match(of("model")?.message ?? "", message)
      assert.match(of("model")?.fix ?? "", fix)
    } finally {
      await model.close()
    }
  })

  it("reports an invalid setting as its finding", async () => {
    const { wrong, of } = await examine({ ...healthy(), PORT: "http" })
    assert.deepStrictEqual(wrong, ["settings"])
    assert.include(of("settings")?.message, "PORT")
  })
})
