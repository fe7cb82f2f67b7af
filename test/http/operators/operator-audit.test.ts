import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createAccountIn } from "#test/support/accounts/createAccountIn.ts"
import { createOperatorIn, createOperatorSessionIn } from "#test/support/accounts/createOperatorIn.ts"
import { tablesWithSecrets } from "#test/support/hostile/findSecrets.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { assertSince } from "#test/support/assertSince.ts"

const ADMIN_TOKEN = "the-operator-and-nobody-else"
let server: TestServer
let owner: TestApp
let viewer: TestApp
beforeAll(async () => {
  server = await startTestServer({ env: { ADMIN_TOKEN } })
  owner = new TestApp(server.baseUrl, "", ADMIN_TOKEN)
  viewer = await createOperatorIn(server, "viewer")
})
afterAll(() => server.close())

const entries = async (query = "") => (await viewer.get(`/admin/audit?limit=100${query}`)).body.data.entries

describe("operator tokens", () => {
  it("are created by an owner, shown once, listed without the secret, and recorded", async () => {
    const from = Date.now()
    const body = { name: "Status board", role: "viewer", expires_in_days: 7 }
    const { data } = (await owner.post("/admin/tokens", body)).body
    assert.match(data.token, /^op_[0-9A-Za-z]{46}$/)
    assert.deepInclude(data, { name: "Status board", role: "viewer", status: "active", created_by: "ADMIN_TOKEN" })
    assertSince(data.expires_at, from, 7 * 86_400_000)
    const board = new TestApp(server.baseUrl, "", data.token)
    assert.deepInclude((await board.get("/admin/me")).body.data, {
      id: data.prefix,
      name: "Status board",
      role: "viewer",
      via: "token"
    })
    const [listed] = (await owner.get("/admin/tokens")).body.data.tokens
    assert.deepInclude(listed, { prefix: data.prefix, name: "Status board", status: "active" })
    assert.isNotNull(listed.last_used_at)
    assert.notProperty(listed, "token")
    const [entry] = await entries("&action=operator_token.created")
    assert.deepInclude(entry, { subject: data.prefix, account_id: null, app_id: null })
    assert.deepInclude(entry.actor, {
      kind: "operator",
      id: "ADMIN_TOKEN",
      address: "127.0.0.1",
      credential: "ADMIN_TOKEN"
    })
    assert.deepInclude(entry.detail, { name: "Status board", role: "viewer" })
  })

  it("are created once under an Idempotency-Key, and a replay does not show the token", async () => {
    const headers = { "idempotency-key": "one" }
    const body = { name: "CI", role: "operator" }
    const first = (await owner.post("/admin/tokens", body, headers)).body.data
    const again = (await owner.post("/admin/tokens", body, headers)).body.data
    assert.strictEqual(again.prefix, first.prefix)
    assert.deepInclude(again, { idempotent_replay: true })
    assert.notProperty(again, "token")
  })

  it("end at once when they are revoked, which is recorded once", async () => {
    const { token, prefix } = (await owner.post("/admin/tokens", { name: "CI", role: "operator" })).body.data
    const machine = new TestApp(server.baseUrl, "", token)
    assert.strictEqual((await machine.get("/admin/me")).status, 200)
    for (let n = 0; n < 2; n++)
      assert.strictEqual((await owner.delete(`/admin/tokens/${prefix}`)).body.data.status, "revoked")
    assert.strictEqual((await machine.get("/admin/me")).status, 401)
    assert.lengthOf(await entries(`&action=operator_token.revoked&subject=${prefix}`), 1)
    for (const unknown of ["op_xxxxxxxx", "x", "%00"])
      assert.strictEqual((await owner.delete(`/admin/tokens/${unknown}`)).body.detail.code, "token_not_found")
  })

  it("need a name, a role and an end", async () => {
    for (const body of [
      { name: "", role: "viewer" },
      { name: "x", role: "root" },
      { name: "x", role: "viewer", expires_in_days: 0 },
      { name: "x", role: "viewer", expires_in_days: 367 },
      { name: "x".repeat(81), role: "viewer" }
    ])
      assert.strictEqual((await owner.post("/admin/tokens", body)).status, 422, JSON.stringify(body))
  })

  it("are listed page by page", async () => {
    const prefixes: Array<string> = []
    for (let cursor: string | null = ""; cursor !== null;) {
      const { data }: { data: any } = (await owner.get(`/admin/tokens?limit=2&cursor=${cursor}`)).body
      prefixes.push(...data.tokens.map(({ prefix }: { prefix: string }) => prefix))
      cursor = data.next_cursor
    }
    assert.isAbove(prefixes.length, 3)
    assert.strictEqual(new Set(prefixes).size, prefixes.length)
  })
})

describe("what was said in a session", () => {
  it("opens to an owner who gives a reason, for 15 minutes, and the account of the app sees the reason", async () => {
    const from = Date.now()
    const account = await createAccountIn(server)
    const { app_id } = (await account.client.post("/v1/account/apps", { name: "Shop" })).body.data
    const { api_key } = (await account.client.post(`/v1/account/apps/${app_id}/api-keys`, {})).body.data
    const session = await new TestApp(server.baseUrl, app_id, api_key).createSession()
    const reason = "An end-user reports an insult, ticket 4711"
    const browser = await createOperatorSessionIn(server, "owner", "ada@example.com")
    const opened = await browser.request("POST", `/admin/sessions/${session}/break-glass`, {
      body: JSON.stringify({ reason }),
      headers: { "content-type": "application/json", "x-csrf-token": browser.csrf }
    })
    const { data } = (await opened.json()) as any
    assert.strictEqual(data.session_id, session)
    assertSince(data.open_until, from, 15 * 60_000)
    const [entry] = await entries(`&subject=${session}`)
    assert.deepInclude(entry, { action: "session.content_opened", app_id, account_id: account.accountId })
    assert.deepInclude(entry.actor, { id: "ada@example.com", credential: browser.prefix })
    assert.deepInclude(entry.detail, { reason })
    const [told] = (await account.client.get("/v1/account/audit-log")).body.data.entries
    assert.deepInclude(told, { action: "session.content_opened", subject: session })
    assert.deepStrictEqual(told.actor, { kind: "operator", id: null })
    assert.notInclude(JSON.stringify(told), "ada@")
  })

  it("is closed to every other credential, and after 15 minutes", async () => {
    const app = await server.createApp()
    const session = await app.createSession()
    const said = "My sister has left for Lisbon."
    await app.converse(session, said)
    const path = `/admin/sessions/${session}/events`
    const told = async (client: TestApp) => {
      const { status, body } = await client.get(path)
      return [status, body.detail?.code ?? body.data.events.length]
    }
    const [another, ofOldReason] = [await createOperatorIn(server, "owner"), await createOperatorIn(server, "owner")]
    assert.deepStrictEqual(await told(owner), [403, "content_closed"])
    const closed = (await owner.get(path)).body.detail
    assert.include(closed.fix, `POST /admin/sessions/${session}/break-glass`)
    await owner.post(`/admin/sessions/${session}/break-glass`, { reason: "Complaint 4711" })
    const { data } = (await owner.get(path)).body
    assert.deepStrictEqual(data.events, (await app.get(`/v1/sessions/${session}/events`)).body.data.events)
    assert.include(JSON.stringify(data.events), said)
    assert.deepStrictEqual(await told(another), [403, "content_closed"])
    assert.deepStrictEqual(await told(viewer), [403, "operator_role_too_low"])
    const other = `/admin/sessions/${await app.createSession()}/events`
    assert.strictEqual((await owner.get(other)).body.detail.code, "content_closed")
    const openedMinutesAgo = (minutes: number) => server.database.sql`
      insert into audit_log (entry_id, actor_kind, actor, credential, action, app_id, subject, detail, at)
      values (${`aud_old_${minutes}`}, 'operator', ${ofOldReason.key.slice(0, 11)}, ${ofOldReason.key.slice(0, 11)},
        'session.content_opened', ${app.appId}, ${session}, '{}', now() - ${minutes} * interval '1 minute')`
    await openedMinutesAgo(16)
    assert.deepStrictEqual(await told(ofOldReason), [403, "content_closed"])
    await openedMinutesAgo(14)
    assert.strictEqual((await told(ofOldReason))[0], 200)
    for (const id of ["x", "ses_00000000000000000000000000"])
      assert.strictEqual((await owner.get(`/admin/sessions/${id}/events`)).body.detail.code, "session_not_found")
    assert.strictEqual((await owner.get(`${path}?limit=201`)).status, 422)
  })

  it("needs a reason of 10 to 500 characters, and an existing session", async () => {
    const app = await server.createApp()
    const session = await app.createSession()
    const open = (id: string, body: object) => owner.post(`/admin/sessions/${id}/break-glass`, body)
    for (const body of [{}, { reason: "just so" }, { reason: " ".repeat(20) }, { reason: "x".repeat(501) }])
      assert.strictEqual((await open(session, body)).status, 422, JSON.stringify(body))
    for (const id of ["x", "ses_00000000000000000000000000"])
      assert.strictEqual((await open(id, { reason: "a good reason" })).body.detail.code, "session_not_found")
  })

  it("needs such a reason on the console, too", async () => {
    const session = await (await server.createApp()).createSession()
    const query = `&subject=${session}&action=session.content_opened`
    const browser = await createOperatorSessionIn(server, "owner", "grace@example.com")
    const open = (reason: Readonly<Record<string, string>>) =>
      browser.request("POST", `/console/conversations/${session}/open`, {
        body: new URLSearchParams({ csrf: browser.csrf, ...reason }),
        headers: { origin: server.baseUrl }
      })
    const read = async () => (await browser.request("GET", `/admin/sessions/${session}/events`)).status
    for (const reason of ["just so", " ".repeat(20), ` ${"x".repeat(9)} `, "x".repeat(501)]) await open({ reason })
    await open({})
    assert.strictEqual(await read(), 403)
    assert.deepStrictEqual(await entries(query), [])
    const good = ["x".repeat(500), "x".repeat(10)]
    for (const reason of good) assert.strictEqual((await open({ reason: ` ${reason} ` })).status, 303)
    assert.strictEqual(await read(), 200)
    const reasons = (await entries(query)).map(({ detail }: any) => detail.reason)
    assert.deepStrictEqual(reasons, good.toReversed())
  })
})

describe("the audit log of the server", () => {
  it("has the entries of every account, and filters by actor, action, app, subject and time", async () => {
    const account = await createAccountIn(server)
    const { app_id } = (await account.client.post("/v1/account/apps", { name: "Shop" })).body.data
    const [made] = await entries(`&app_id=${app_id}`)
    assert.deepInclude(made, { action: "app.created", account_id: account.accountId })
    assert.deepInclude(made.actor, { kind: "account_token", id: account.prefix, address: null })
    const ids = async (query: string) => (await entries(query)).map(({ id }: { id: string }) => id)
    assert.deepStrictEqual(await ids(`&actor=${account.prefix}&action=app.created`), [made.id])
    assert.deepStrictEqual(await ids(`&actor=${account.prefix}&actor_kind=operator`), [])
    const at = Date.parse(made.at)
    const [before, after] = [new Date(at - 60_000).toISOString(), new Date(at + 60_000).toISOString()]
    assert.deepStrictEqual(await ids(`&app_id=${app_id}&since=${before}&until=${after}`), [made.id])
    assert.deepStrictEqual(await ids(`&app_id=${app_id}&since=${after}`), [])
    assert.deepStrictEqual(await ids(`&app_id=${app_id}&until=${before}`), [])
    for (const bad of ["&since=yesterday", "&actor_kind=admin", "&limit=101", "&cursor=%25"])
      assert.strictEqual((await viewer.get(`/admin/audit?x=1${bad}`)).status, 422, bad)
  })

  it("is read in pages, newest first, and each entry once", async () => {
    const all: Array<string> = []
    for (let cursor: string | null = ""; cursor !== null;) {
      const { data }: { data: any } = (await viewer.get(`/admin/audit?limit=3&cursor=${cursor}`)).body
      all.push(...data.entries.map(({ id }: { id: string }) => id))
      cursor = data.next_cursor
    }
    assert.deepStrictEqual(all, [...new Set(all)].sort().toReversed())
    const [{ count } = { count: 0 }] = await server.database.sql`select count(*)::int as count from audit_log`
    assert.strictEqual(all.length, count)
  })

  it("is exported as CSV and as JSON lines, bounded, and a spreadsheet computes nothing in it", async () => {
    await owner.post("/admin/tokens", { name: '=1+1,"quoted"', role: "viewer" })
    await server.database.sql`
      insert into audit_log (entry_id, actor_kind, actor, action, subject, detail)
      values ('aud_zzz', 'operator', '=cmd()', 'app.updated', 'a"b', '{}')`
    const csv = await viewer.get("/admin/audit/export?limit=2")
    assert.match(csv.headers.get("content-type") ?? "", /^text\/csv/)
    assert.strictEqual(csv.headers.get("content-disposition"), 'attachment; filename="audit.csv"')
    const lines = String(csv.body).split("\r\n")
    assert.strictEqual(lines[0], "id,at,action,actor_kind,actor,address,credential,account_id,app_id,subject,detail")
    assert.include(lines[1] ?? "", `"'=cmd()"`)
    assert.include(lines[1] ?? "", '"a""b"')
    assert.lengthOf(lines, 4)
    const jsonl = await fetch(
      `${server.baseUrl}/admin/audit/export?format=jsonl&limit=10000&cursor=${csv.headers.get("x-next-cursor")}`,
      { headers: { authorization: `Bearer ${viewer.key}` } }
    )
    const rows = (await jsonl.text())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    const [{ count } = { count: 0 }] = await server.database.sql`select count(*)::int as count from audit_log`
    assert.strictEqual(rows.length, count - 2)
    assert.isNull(jsonl.headers.get("x-next-cursor"))
    assert.strictEqual((await viewer.get("/admin/audit/export?limit=10001")).status, 422)
  })
})

describe("the secrets of operators", () => {
  it("are stored nowhere in a readable form", async () => {
    await fetch(`${server.baseUrl}/console/sign-in`, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams({ token: ADMIN_TOKEN })
    })
    assert.deepStrictEqual(await tablesWithSecrets(server.database.sql), [])
    const [{ found } = { found: null }] = await server.database.sql`
      select count(*)::int as found from operator_sessions s where s::text like ${`%${ADMIN_TOKEN}%`}`
    assert.strictEqual(found, 0)
  })
})
