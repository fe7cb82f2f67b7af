import { randomBytes } from "node:crypto"
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import postgres from "postgres"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { dropDatabase } from "#test/support/postgres/dropDatabase.ts"
import { onDatabase } from "#test/support/postgres/onDatabase.ts"
import { type Receiver, startReceiver } from "#test/support/Receiver.ts"
import { readZip } from "#test/support/files/readZip.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { type LogEvent, TestApp } from "#test/support/TestApp.ts"
import { startTestServer } from "#test/support/TestServer.ts"
import { runTroupe, startCommand } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

const ADMIN_TOKEN = "the-token-of-the-operator"
const folder = mkdtempSync(join(tmpdir(), "troupe-backup-"))
const file = join(folder, "troupe.backup")
const admin = postgres(inject("postgresUrl"), { max: 1, onnotice: () => {} })
const target = `restored_${randomBytes(6).toString("hex")}`
const targetUrl = onDatabase(inject("postgresUrl"), target)
let harness: TelegramHarness
let receiver: Receiver
let isReceiverUp = false
let session: string
let restored: postgres.Sql

beforeAll(async () => {
  await admin`create database ${admin(target)}`
  restored = postgres(targetUrl, { max: 2, onnotice: () => {} })
  receiver = await startReceiver((response) => void response.writeHead(isReceiverUp ? 200 : 500).end())
  harness = await startTelegramHarness({ env: { OUTBOUND_ALLOW: "127.0.0.1" } })
  const { bot } = await harness.attach()
  const person = harness.telegram.createUser()
  harness.telegram.start(person, bot)
  await saidAtLeast(harness, bot, person, 1)
  session = await harness.app.createSession()
  await harness.app.post(`/v1/sessions/${session}/channels`, { kind: "webhook", url: `${receiver.url}/hook` })
  await harness.app.post(`/v1/sessions/${session}/messages`, { text: "My sister Ida lives in Bergen." })
  await until("a failed delivery", () => Promise.resolve(receiver.requests.length > 0 ? true : undefined))
})
afterAll(async () => {
  await harness.telegram.close()
  await receiver.close()
  await restored.end({ timeout: 1 })
  await dropDatabase(admin, target)
  await admin.end({ timeout: 1 })
  rmSync(folder, { recursive: true, force: true })
})

const source = () => ({ DATABASE_URL: harness.server.database.url })
const into = { DATABASE_URL: targetUrl, SECRETS_KEY }
/** The last cursor of the session. */
const lastCursor = async (sql: postgres.Sql): Promise<number> =>
  (await sql`select max(cursor)::int as cursor from events where session_id = ${session}`)[0]?.["cursor"]
const tablesOf = async (sql: postgres.Sql) =>
  (
    await sql<Array<{ name: string }>>`select relname::text as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`
  ).map(({ name }) => name)

describe("a backup", () => {
  it("that is killed leaves no file with its name", async () => {
    const killed = join(folder, "killed.backup")
    const locking = postgres(source().DATABASE_URL, { max: 1, onnotice: () => {} })
    await locking.begin(async (sql) => {
      // A table that the server does not use now, so that only the backup waits for it.
      await sql`lock table storyline_steps in access exclusive mode`
      const { child, exit } = startCommand(source(), ["backup", killed])
      await until("the backup to wait", () =>
        readdirSync(folder).some((name) => name.startsWith("killed.backup.") && name.endsWith(".partial"))
      )
      child.kill("SIGKILL")
      await exit
    })
    await locking.end()
    assert.isFalse(existsSync(killed))
  })

  it("has the rows of one moment, although the server goes on writing", async () => {
    const over = new AbortController()
    const writing = (async () => {
      for (let n = 0; !over.signal.aborted; n++)
        await harness.app.post(`/v1/sessions/${session}/messages`, { text: `Message ${n}, while it is made.` })
    })()
    const { code, stdout, stderr } = await runTroupe(source(), ["backup", file])
    over.abort()
    await writing
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.isAbove(JSON.parse(stdout).rows, 50)
    const again = await runTroupe(source(), ["backup", file])
    assert.deepStrictEqual([again.code, again.stderr], [1, `troupe: ${file} exists already: give another name\n`])
  })

  it("is verified without a database, and one changed byte or a missing end is found anywhere", async () => {
    const verified = await runTroupe({}, ["verify", file])
    assert.deepStrictEqual([verified.code, JSON.parse(verified.stdout).verified], [0, true])
    const bytes = readFileSync(file)
    const damaged = join(folder, "damaged.backup")
    for (const at of [30, Math.floor(bytes.length / 2), bytes.length - 3]) {
      const changed = Buffer.from(bytes)
      changed.writeUInt8((changed[at] ?? 0) ^ 1, at)
      writeFileSync(damaged, changed)
      const { code, stderr } = await runTroupe({}, ["verify", damaged])
      assert.deepStrictEqual([code, stderr.includes("has changed since it was made")], [1, true], `${at}: ${stderr}`)
    }
    writeFileSync(damaged, bytes.subarray(0, bytes.length - 500))
    assert.include((await runTroupe(into, ["restore", damaged])).stderr, "is not a complete backup")
  })
})

describe("a restore", () => {
  it("under another SECRETS_KEY is refused, and leaves nothing", async () => {
    const other = randomBytes(32).toString("base64")
    const { code, stderr } = await runTroupe({ ...into, SECRETS_KEY: other }, ["restore", file])
    assert.deepStrictEqual([code, stderr.includes("SECRETS_KEY: does not match")], [1, true], stderr)
    assert.deepStrictEqual(await tablesOf(restored), [])
  })

  it("that is killed leaves nothing", async () => {
    const other = postgres(targetUrl, { max: 1, onnotice: () => {} })
    const killing = other
      .begin(async (sql) => {
        // Until this ends, PostgreSQL lets nobody make a table of this name.
        await sql`create table write_probe (id int)`
        const { child, exit } = startCommand(into, ["restore", file])
        await until("the restore to wait", async () => {
          const waiting = await restored`select 1 from pg_stat_activity
            where datname = ${target} and wait_event_type = 'Lock'`
          return waiting.length > 0 ? true : undefined
        })
        child.kill("SIGKILL")
        await exit
        throw new Error("rolled back")
      })
      .catch(() => {})
    await killing
    await other.end()
    await until("the connection to end", async () =>
      (await restored`select 1 from pg_stat_activity where datname = ${target} and application_name = 'troupe'`)
        .length === 0
        ? true
        : undefined
    )
    assert.deepStrictEqual(await tablesOf(restored), [])
  })

  it("brings every row to another database, and refuses one that is not empty", async () => {
    const { code, stdout, stderr } = await runTroupe(into, ["restore", file])
    assert.strictEqual(code, 0, stderr)
    assert.strictEqual(JSON.parse(stdout).deliveries, "on_hold")
    assert.include(stderr, "resume-deliveries")
    const manifest = JSON.parse((await readZip(readFileSync(file))).get("manifest.json")?.toString() ?? "{}")
    const counts = await Promise.all(
      manifest.tables.map(async ({ name, rows }: { name: string; rows: number }) => {
        const [schema, table] = name.includes(".") ? name.split(".") : ["public", name]
        const [found] =
          await restored`select count(*)::int as rows from ${restored(schema ?? "")}.${restored(table ?? "")}`
        return [name, rows, found?.["rows"]]
      })
    )
    const differing = counts.flatMap(([name, before, after]) => (before === after ? [] : [[name, after - before]]))
    // The restore holds deliveries, and is in the audit log itself.
    assert.deepStrictEqual(differing, [
      ["audit_log", 1],
      ["telegram_holds", 1]
    ])
    const torn = await restored`
      select session_id from session_logs join (select session_id, max(cursor) as last, count(*) as n from events
        group by 1) e using (session_id) where e.last <> e.n`
    assert.lengthOf(torn, 0, "sessions whose log has gaps")
    const again = await runTroupe(into, ["restore", file])
    assert.deepStrictEqual([again.code, again.stderr.includes("the database is not empty")], [1, true])
  })

  it("delivers nothing until deliveries are resumed, says why, and then delivers each event once", async () => {
    // Read from the server of the backup, which has written more since then.
    const { next_cursor: elsewhere } = (await harness.app.get("/v1/events?limit=1000")).body.data
    await harness.server.close()
    isReceiverUp = true
    const before = receiver.requests.length
    const calls = harness.telegram.calls({}).length
    // Before the server goes on with what the backup left open.
    const then = await lastCursor(restored)
    const database = { url: targetUrl, sql: restored, drop: () => Promise.resolve() }
    const server = await startTestServer({
      database,
      env: { OUTBOUND_ALLOW: "127.0.0.1", TELEGRAM_API_ROOT: harness.telegram.url, ADMIN_TOKEN }
    })
    const app = new TestApp(server.baseUrl, harness.app.appId, harness.app.key)
    const operator = new TestApp(server.baseUrl, "", ADMIN_TOKEN)
    await app.post(`/v1/sessions/${session}/messages`, { text: "Are you there?" })
    const inLog = () => app.events(session, then)
    await until("an answer in the log", async () => {
      const said = await inLog()
      const asked = said.find(({ payload }) => payload["text"] === "Are you there?")
      return said.some(
        ({ type, role, trace_id: turn }) =>
          type === "message.created" && role === "character" && turn === asked?.trace_id
      )
        ? true
        : undefined
    })
    const expired = await app.get(`/v1/events?since=${elsewhere}`)
    assert.deepStrictEqual([expired.status, expired.body.detail.code], [410, "cursor_expired"])
    const cursorsOf = (said: ReadonlyArray<LogEvent>) => said.map(({ cursor }) => cursor)
    await until("the feed to go on from where the backup ends", async () => {
      const fed: Array<LogEvent> = []
      for (let since = expired.body.detail.earliest_since; ;) {
        const { events, next_cursor, has_more } = (await app.get(`/v1/events?limit=1000&since=${since}`)).body.data
        fed.push(...events.filter((event: LogEvent) => event["session_id"] === session))
        if (!has_more) break
        since = next_cursor
      }
      return isDeepStrictEqual(cursorsOf(fed), cursorsOf(await inLog()))
    })
    await restored`update lanes set due_at = now() where status = 'waiting'`
    await until("the lanes to be parked", async () =>
      (await restored`select 1 from lanes where status in ('ready', 'waiting')`).length === 0 ? true : undefined
    )
    assert.strictEqual(receiver.requests.length, before)
    assert.strictEqual(harness.telegram.calls({}).length, calls)
    const [hold] = (await operator.get("/admin/holds")).body.data.holds
    assert.deepStrictEqual([hold.kind, hold.app_id], ["delivery", null])
    assert.match(hold.reason, /^restored from the backup of /)
    const { problems } = (await operator.get("/admin/health")).body.data
    assert.include(
      problems.map(({ kind }: { kind: string }) => kind),
      "deliveries_on_hold"
    )
    const resumed = await runTroupe(into, ["resume-deliveries"])
    assert.deepStrictEqual(JSON.parse(resumed.stdout), { deliveries: "resumed", already: false })
    const last = await lastCursor(restored)
    const delivered = () => receiver.requests.slice(before).map(({ headers }) => Number(headers["x-service-cursor"]))
    await until("the last event", () => Promise.resolve(delivered().includes(last) ? true : undefined))
    assert.strictEqual(new Set(delivered()).size, delivered().length, `delivered: ${delivered()}`)
    await server.close()
  })
})
