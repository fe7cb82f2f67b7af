import { randomBytes } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { allTables } from "#src/db/catalogue/allTables.ts"
import { feedShows } from "#test/support/conversation/feedShows.ts"
import { type Received, type Receiver, startReceiver } from "#test/support/Receiver.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { createTestDatabase } from "#test/support/TestDatabase.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { runTroupe, startCommand } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

const folder = mkdtempSync(join(tmpdir(), "troupe-move-"))
const mapFile = join(folder, "cells.map")
let old: TestServer
let next: TestServer
let receiver: Receiver

const env = () => ({
  DATABASE_URL: old.database.url,
  TARGET_DATABASE_URL: next.database.url,
  SECRETS_KEY,
  CELL: "old1"
})
const move = (appId: string, ...flags: ReadonlyArray<string>) =>
  runTroupe(env(), ["app", "move", appId, "--to", "new1", ...flags])
/** The same app, asked for in the new cell. */
const movedOf = (app: TestApp) => new TestApp(next.baseUrl, app.appId, app.key)

beforeAll(async () => {
  receiver = await startReceiver((response) => void response.writeHead(200).end())
  const shared = { OUTBOUND_ALLOW: "127.0.0.1" }
  old = await startTestServer({ env: { ...shared, CELL: "old1" } })
  next = await startTestServer({ env: { ...shared, CELL: "new1" } })
  writeFileSync(mapFile, "ck_old1_ old1\nck_new1_ new1\n")
})
afterAll(async () => {
  await old.close()
  await next.close()
  await receiver.close()
  rmSync(folder, { recursive: true, force: true })
})

/** The rows that an app has in each table of a database. */
const rowsOf = async (sql: postgres.Sql, appId: string) => {
  const rows: Record<string, number> = {}
  for (const { name, owners } of allTables) {
    if (owners.app === undefined) continue
    const [row] = await sql`select count(*)::int as count from ${sql(name)} where ${sql(owners.app)} = ${appId}`
    if (row?.["count"] > 0) rows[name] = row?.["count"]
  }
  return rows
}

/** An app with a conversation that is answered and a webhook. */
const createApp = async () => {
  const app = await old.createApp({ budgetUsd: 5 })
  const session = await app.createSession()
  await app.post(`/v1/sessions/${session}/channels`, { kind: "webhook", url: `${receiver.url}/${app.appId}` })
  const first = await app.post(
    `/v1/sessions/${session}/messages`,
    { text: "My sister Ida lives in Bergen." },
    { "idempotency-key": "first" }
  )
  await app.waitFor(session, ({ type, role }) => type === "message.created" && role === "character")
  await until("the memory and the deliveries of the reply", async () => {
    const { sql } = old.database
    const remembered = await sql`select 1 from memories where app_id = ${app.appId}`
    const open = await sql`select 1 from lanes where app_id = ${app.appId} and (status <> 'idle' or position < head)`
    return remembered.length > 0 && open.length === 0
  })
  return { app, session, first: first.body.data }
}

/** The position in the feed of an app after the first event of its session, once the feed shows what there is. */
const afterFirst = async (app: TestApp, session: string): Promise<string> => {
  await feedShows(
    app,
    (await app.events(session)).map(({ id }) => id)
  )
  return (await app.get("/v1/events?limit=1")).body.data.next_cursor
}
/** The cursors of the events that the feed of an app has after this position. */
const fedTo = async (app: TestApp, position: string): Promise<ReadonlyArray<number>> => {
  const cursors: Array<number> = []
  for (let since = position; ;) {
    const { status, body } = await app.get(`/v1/events?limit=1000&since=${since}`)
    assert.strictEqual(status, 200, JSON.stringify(body))
    cursors.push(...body.data.events.map(({ cursor }: { cursor: number }) => cursor))
    if (!body.data.has_more) return cursors
    since = body.data.next_cursor
  }
}

describe("an app that moves to another cell", () => {
  it("goes on there while it is being written to: no message is lost or doubled, and cursors stay", async () => {
    const { app, session, first } = await createApp()
    const quiet = await old.createApp()
    const quietSession = await quiet.createSession()
    const neighbour = await next.createApp()
    const before = await app.events(session)
    const feed = await afterFirst(app, session)

    let current = app
    const texts: Array<string> = []
    const over = new AbortController()
    const writing = (async () => {
      for (let n = 0; !over.signal.aborted; n++) {
        const text = `Message ${n}, while it moves.`
        texts.push(text)
        await until("an accepted message", async () => {
          const sent = await current.post(`/v1/sessions/${session}/messages`, { text }, { "idempotency-key": text })
          if (sent.status === 503) assert.strictEqual(sent.headers.get("retry-after"), "1")
          else assert.include([200, 429], sent.status, JSON.stringify(sent.body))
          return sent.status === 200
        })
      }
    })()
    const neighbours = (async () => {
      while (!over.signal.aborted) {
        const sent = await quiet.post(`/v1/sessions/${quietSession}/messages`, { text: "Hello." })
        assert.include([200, 429], sent.status)
        assert.strictEqual((await neighbour.get("/v1/me")).status, 200)
      }
    })()
    const { code, stdout, stderr } = await move(app.appId, "--map", mapFile)
    assert.strictEqual(code, 0, stderr)
    current = movedOf(app)
    const sentBefore = texts.length
    await until("messages in the new cell", () => Promise.resolve(texts.length > sentBefore + 5 ? true : undefined))
    over.abort()
    await Promise.all([writing, neighbours])

    const moved = JSON.parse(stdout)
    assert.deepInclude(moved, { app_id: app.appId, moved_to: "new1" })
    assert.isAbove(moved.rows, 50)
    assert.include(readFileSync(mapFile, "utf8"), `${app.key.slice(0, 16)} new1\n`)
    assert.match(readFileSync(mapFile, "utf8"), /ck_old1_ old1\nck_new1_ new1\n$/)

    await until("replies to all messages", async () => {
      const [row] = await next.database.sql`
        select count(*)::int as open from turns where app_id = ${app.appId} and outcome is null`
      return row?.["open"] === 0
    })
    const after = await current.events(session)
    assert.deepStrictEqual(after.slice(0, before.length), before)
    assert.deepStrictEqual(
      after.map(({ cursor }) => cursor),
      after.map((_, index) => index + 1)
    )
    const said = after.flatMap(({ type, role, payload }) =>
      type === "message.created" && role === "user" ? [payload.text] : []
    )
    assert.deepStrictEqual(said.slice(1), texts)
    const answered = after.filter(({ type, role }) => type === "message.created" && role === "character")
    assert.isAtLeast(answered.length, 1)

    const again = await current.post(
      `/v1/sessions/${session}/messages`,
      { text: "My sister Ida lives in Bergen." },
      { "idempotency-key": "first" }
    )
    assert.deepStrictEqual(again.body.data, { ...first, idempotent_replay: true })

    const pushed = () =>
      receiver.requests
        .filter(({ path }) => path.endsWith(app.appId))
        .map(({ body }: Received) => JSON.parse(body.toString()).cursor as number)
    await until("the last push", () => Promise.resolve(pushed().includes(after.at(-1)!.cursor) ? true : undefined))
    const cursors = pushed()
    assert.deepStrictEqual(
      cursors,
      [...new Set(cursors)].sort((a, b) => a - b)
    )
    assert.strictEqual(cursors.length, cursors.at(-1)! - cursors[0]! + 1)

    await feedShows(
      current,
      after.slice(1).map(({ id }) => id)
    )
    assert.deepStrictEqual(
      await fedTo(current, feed),
      after.slice(1).map(({ cursor }) => cursor)
    )

    assert.hasAllKeys(await rowsOf(old.database.sql, app.appId), ["moved_keys", "audit_log"])
    const there = await app.get("/v1/me")
    assert.deepStrictEqual([there.status, there.headers.get("retry-after")], [503, "1"])
    assert.match(there.body.detail, /another cell/)
  })

  it("keeps its caps, its spending, its keys and its account, and its old rows are removed", async () => {
    const { app } = await createApp()
    const before = await rowsOf(old.database.sql, app.appId)
    const usage = (await app.get("/v1/account/usage")).body
    assert.strictEqual((await move(app.appId)).code, 0)
    const current = movedOf(app)
    assert.deepStrictEqual((await current.get("/v1/account/usage")).body.data, usage.data)
    const after = await rowsOf(next.database.sql, app.appId)
    for (const name of ["ledger", "allowances", "api_keys", "lanes", "delivery_attempts", "memories"])
      assert.strictEqual(after[name], before[name], name)
    const counted = async () =>
      (
        await next.database.sql`select sum(turns)::int as turns from usage_days
        where app_id = ${app.appId} and dimension = 'kind'`
      )[0]?.["turns"]
    assert.strictEqual(await counted(), 1)
    assert.hasAllKeys(await rowsOf(old.database.sql, app.appId), ["moved_keys", "audit_log"])
  })

  it("moves back, and its keys and its feed go on", async () => {
    const { app, session } = await createApp()
    const feed = await afterFirst(app, session)
    assert.strictEqual((await move(app.appId)).code, 0)
    await movedOf(app).converse(session, "Hello from the new cell.")
    const back = { ...env(), DATABASE_URL: next.database.url, TARGET_DATABASE_URL: old.database.url, CELL: "new1" }
    const { code, stderr } = await runTroupe(back, ["app", "move", app.appId, "--to", "old1", "--map", mapFile])
    assert.strictEqual(code, 0, stderr)
    assert.include(readFileSync(mapFile, "utf8"), `${app.key.slice(0, 16)} old1\n`)
    await app.converse(session, "Hello from the old cell.")
    const events = await app.events(session)
    await feedShows(
      app,
      events.slice(1).map(({ id }) => id)
    )
    assert.lengthOf(await fedTo(app, feed), events.length - 1)
    assert.strictEqual((await movedOf(app).get("/v1/me")).status, 503)
  })
})

describe("a move that is killed", () => {
  /** Kills the command while it waits for a lock on this table. */
  const killAt = async (sql: postgres.Sql, lock: string, args: ReadonlyArray<string>) => {
    await sql.begin(async (locked) => {
      await locked.unsafe(lock)
      const { child, exit } = startCommand(env(), ["app", "move", ...args])
      await until("the move to wait", async () => {
        const waiting = await sql`select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'
            and (starts_with(query, 'copy') or starts_with(query, 'delete'))`
        return waiting.length > 0
      })
      child.kill("SIGKILL")
      await exit
    })
  }

  it("while it copies leaves the app on hold in the old cell, and starts over", async () => {
    const { app, session } = await createApp()
    await killAt(next.database.sql, "lock table storyline_steps in access exclusive mode", [app.appId, "--to", "new1"])
    assert.deepStrictEqual(await rowsOf(next.database.sql, app.appId), {})
    assert.strictEqual((await app.send(session, "Is anybody there?")).status, 503)
    const other = await runTroupe(env(), ["app", "move", app.appId, "--to", "other"])
    assert.include(other.stderr, "already moving to the cell new1")
    const third = await createTestDatabase()
    const [check] = await old.database.sql`select sealed from secrets_check`
    await third.sql`insert into secrets_check (sealed) values (${check?.["sealed"]})`
    for (const flags of [[], ["--cancel"]]) {
      const elsewhere = { ...env(), TARGET_DATABASE_URL: third.url }
      const { code, stderr } = await runTroupe(elsewhere, ["app", "move", app.appId, "--to", "new1", ...flags])
      assert.strictEqual(code, 1)
      assert.match(stderr, /another database than TARGET_DATABASE_URL/)
    }
    await third.drop()
    const { code, stderr } = await move(app.appId)
    assert.strictEqual(code, 0, stderr)
    await movedOf(app).converse(session, "Is anybody there?")
  })

  it("while it copies can be cancelled, and the app goes on in the old cell", async () => {
    const { app, session } = await createApp()
    await killAt(next.database.sql, "lock table storyline_steps in access exclusive mode", [app.appId, "--to", "new1"])
    const { code, stderr } = await move(app.appId, "--cancel")
    assert.strictEqual(code, 0, stderr)
    await app.converse(session, "Is anybody there?")
    assert.include((await move(app.appId, "--cancel")).stderr, "the app is not being moved")
    const entries = await old.database.sql`select action from audit_log where app_id = ${app.appId} order by entry_id`
    assert.deepStrictEqual(
      entries.map(({ action }) => action).filter((action) => action.startsWith("app.move")),
      ["app.moved", "app.move_cancelled"]
    )
  })

  it("after the copy leaves the app active in the new cell only, and finishes", async () => {
    const { app, session } = await createApp()
    await killAt(old.database.sql, "lock table storyline_steps in share mode", [app.appId, "--to", "new1"])
    assert.strictEqual((await app.send(session, "Is anybody there?")).status, 503)
    await movedOf(app).converse(session, "Is anybody there?")
    assert.include((await move(app.appId, "--cancel")).stderr, "in the new cell already")
    const { code, stderr } = await move(app.appId)
    assert.strictEqual(code, 0, stderr)
    assert.hasAllKeys(await rowsOf(old.database.sql, app.appId), ["moved_keys", "audit_log"])
    const again = await move(app.appId, "--map", mapFile)
    assert.strictEqual(again.code, 0, again.stderr)
    assert.include(readFileSync(mapFile, "utf8"), `${app.key.slice(0, 16)} new1\n`)
  })
})

describe("a move that cannot work", () => {
  it("is refused before anything happens", async () => {
    const { app } = await createApp()
    const refused = async (change: Record<string, string>, why: RegExp) => {
      const { code, stderr } = await runTroupe({ ...env(), ...change }, ["app", "move", app.appId, "--to", "new1"])
      assert.strictEqual(code, 1)
      assert.match(stderr, why)
    }
    await refused({ TARGET_DATABASE_URL: "" }, /TARGET_DATABASE_URL: must be set/)
    await refused({ TARGET_DATABASE_URL: old.database.url }, /leads to the database that the app is in/)
    await refused({ SECRETS_KEY: randomBytes(32).toString("base64") }, /both cells need the same SECRETS_KEY/)
    await next.database.sql`insert into schema_migrations (name) values ('9999_later.sql')`
    await refused({}, /different schemas/)
    await next.database.sql`delete from schema_migrations where name = '9999_later.sql'`
    assert.strictEqual((await app.get("/v1/me")).status, 200)
  })
})
