import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { assertSince } from "#test/support/assertSince.ts"
import { createOperatorIn, createOperatorSessionIn } from "#test/support/accounts/createOperatorIn.ts"
import { consoleCodeIn } from "#test/support/accounts/consoleCodeIn.ts"
import { readSamples } from "#test/support/prometheusText.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

const ADMIN_TOKEN = "the-operator-and-nobody-else"
const SIGN_IN = "/console/sign-in"

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env: { ADMIN_TOKEN, TRUST_PROXY: "1" } })
})
afterAll(() => server.close())
beforeEach(async () => {
  await server.database.sql`delete from rolling_limits`
})

const open = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.baseUrl + path, { redirect: "manual", headers })
const submit = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(server.baseUrl + path, { method: "POST", redirect: "manual", headers, body: new URLSearchParams(form) })
const from = (address: string) => ({ "x-forwarded-for": address })
const cookieIn = (response: Response) => response.headers.getSetCookie().find((one) => one.includes("troupe-operator="))
const cookieOf = (response: Response) => (cookieIn(response) ?? "").split(";")[0] ?? ""
const me = async (cookie: string) => (await open("/admin/me", { cookie })).json() as Promise<any>
const audited = async (action: string) =>
  [
    ...(await server.database.sql`
      select actor_kind, actor, address, credential, subject, detail from audit_log
      where action = ${action} order by entry_id desc`)
  ] as ReadonlyArray<Record<string, any>>

describe("signing in with ADMIN_TOKEN", () => {
  it("begins a session of the owner, which the browser keeps to itself and sends to nobody else", async () => {
    const response = await submit(SIGN_IN, { token: ADMIN_TOKEN, next: "/console/apps?q=a" })
    assert.strictEqual(response.status, 200)
    assert.strictEqual(response.headers.get("refresh"), "0; url=/console/apps?q=a")
    assert.match(
      cookieIn(response) ?? "",
      /^troupe-operator=os_\w+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/
    )
    const { data } = await me(cookieOf(response))
    assert.deepInclude(data, { id: "ADMIN_TOKEN", role: "owner", via: "session" })
    const [entry] = await audited("operator.signed_in")
    assert.deepInclude(entry, {
      actor_kind: "operator",
      actor: "ADMIN_TOKEN",
      address: "127.0.0.1",
      credential: data.session,
      subject: data.session
    })
    assert.deepInclude(entry?.["detail"], { method: "admin_token", role: "owner" })
  })

  it("gives a cookie for https only, where the browser came over https", async () => {
    const https = { "x-forwarded-proto": "https", ...from("192.0.2.1") }
    const response = await submit(SIGN_IN, { token: ADMIN_TOKEN }, https)
    const cookie = response.headers.getSetCookie().at(-1) ?? ""
    assert.match(cookie, /^__Host-troupe-operator=.*; Secure; SameSite=Strict$/)
    const headers = { ...https, cookie: cookie.split(";")[0] ?? "" }
    assert.strictEqual((await open("/admin/me", headers)).status, 200)
    // A cookie that plain http could have planted is not looked at.
    const planted = (await createOperatorSessionIn(server, "owner")).headers
    assert.strictEqual((await open("/admin/me", { ...https, ...planted })).status, 401)
  })

  it("replaces the session that the browser had", async () => {
    const first = cookieOf(await submit(SIGN_IN, { token: ADMIN_TOKEN }))
    const second = cookieOf(await submit(SIGN_IN, { token: ADMIN_TOKEN }, { cookie: first }))
    assert.notStrictEqual(first, second)
    assert.strictEqual((await open("/admin/me", { cookie: first })).status, 401)
    assert.strictEqual((await open("/admin/me", { cookie: second })).status, 200)
  })

  it("leads only to pages of the console", async () => {
    for (const next of [
      "https://evil.example",
      "//evil.example",
      "/console@evil",
      "/console/sign-out",
      "/v1/me",
      "/console/../docs",
      "/console/..//evil.example",
      "/console/%2e%2e/docs",
      "/console/./sign-out",
      "/console\\..\\docs",
      "x"
    ]) {
      const response = await submit(SIGN_IN, { token: ADMIN_TOKEN, next }, from("192.0.2.9"))
      assert.strictEqual(response.headers.get("refresh"), "0; url=/console", next)
      await server.database.sql`delete from rolling_limits`
    }
  })

  it("is refused with a wrong token, and to forms of other sites", async () => {
    const wrong = await submit(SIGN_IN, { token: `${ADMIN_TOKEN}x` })
    assert.strictEqual(wrong.status, 403)
    assert.include(await wrong.text(), "not the ADMIN_TOKEN")
    assert.isUndefined(cookieIn(wrong))
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" }
    ]) {
      const forged = await submit(SIGN_IN, { token: ADMIN_TOKEN }, headers as Record<string, string>)
      assert.strictEqual(forged.status, 403)
      assert.isUndefined(cookieIn(forged))
    }
    assert.strictEqual((await submit(SIGN_IN, {})).status, 403)
  })

  it("is limited by address, and one entry of the audit log stands for all failures of one", async () => {
    const before = (await audited("operator.sign_in_failed")).length
    const statuses: Array<number> = []
    for (let n = 0; n < 12; n++) statuses.push((await submit(SIGN_IN, { token: "guess" }, from("198.51.100.1"))).status)
    assert.deepStrictEqual(statuses, [...Array(10).fill(403), 429, 429])
    // Even with the right one, or the limit would tell which it is.
    const right = await submit(SIGN_IN, { token: ADMIN_TOKEN }, from("198.51.100.1"))
    assert.strictEqual(right.status, 429)
    assert.isAbove(Number(right.headers.get("retry-after")), 0)
    assert.strictEqual((await submit(SIGN_IN, { token: ADMIN_TOKEN }, from("198.51.100.2"))).status, 200)
    const failures = (await audited("operator.sign_in_failed")).slice(0, -before || undefined)
    assert.deepStrictEqual(
      failures.map(({ address, actor_kind, detail }) => [address, actor_kind, detail.reason]),
      [
        ["198.51.100.1", "anybody", "too_many"],
        ["198.51.100.1", "anybody", "wrong"]
      ]
    )
  })

  it("counts only failures: an operator who signs in again and again never has to wait", async () => {
    const here = from("198.51.100.40")
    const statuses: Array<number> = []
    for (let n = 0; n < 15; n++) statuses.push((await submit(SIGN_IN, { token: ADMIN_TOKEN }, here)).status)
    assert.deepStrictEqual(statuses, Array(15).fill(200))
    statuses.length = 0
    for (let n = 0; n < 11; n++) statuses.push((await submit(SIGN_IN, { token: "guess" }, here)).status)
    assert.deepStrictEqual(statuses, [...Array(10).fill(403), 429])
    const [counted] = await server.database.sql<Array<{ hits: number }>>`
      select coalesce(sum(cardinality(hits)), 0)::int as hits from rolling_limits where kind = 'operator_sign_in_all'`
    assert.strictEqual(counted?.hits, 0)
  })

  it("counts an address as one, however a proxy writes it, and whatever the client adds", async () => {
    const forms = [
      "198.51.100.9",
      "198.51.100.9:4711",
      "::ffff:198.51.100.9",
      "[::ffff:c633:6409]:80",
      "::1, 198.51.100.9:5"
    ]
    const statuses: Array<number> = []
    for (let n = 0; n < 11; n++)
      statuses.push((await submit(SIGN_IN, { token: "guess" }, from(forms[n % forms.length] ?? ""))).status)
    assert.deepStrictEqual(statuses, [...Array(10).fill(403), 429])
  })

  it("is limited over all addresses, except those from which an operator has signed in", async () => {
    const known = from("203.0.113.7")
    assert.strictEqual((await submit(SIGN_IN, { token: ADMIN_TOKEN }, known)).status, 200)
    await server.database.sql`
      insert into rolling_limits (kind, subject, hits, last_hit_at)
      values ('operator_sign_in_all', '', array_fill(now(), array[300]), now())
      on conflict (kind, subject) do update set hits = excluded.hits`
    assert.strictEqual((await submit(SIGN_IN, { token: ADMIN_TOKEN }, from("203.0.113.8"))).status, 429)
    assert.strictEqual((await submit(SIGN_IN, { token: ADMIN_TOKEN }, known)).status, 200)
    assert.strictEqual((await submit(SIGN_IN, { token: ADMIN_TOKEN }, from("203.0.113.7:4711"))).status, 200)
    const code = await consoleCodeIn(server)
    assert.strictEqual((await open(`${SIGN_IN}?code=${code}`, from("203.0.113.8"))).status, 200)
  })

  it("is not offered without one, and its sessions end when it changes", async () => {
    const cookie = cookieOf(await submit(SIGN_IN, { token: ADMIN_TOKEN }))
    const other = await startTestServer({ database: server.database, env: { ADMIN_TOKEN: "another-token" } })
    const none = await startTestServer({ database: server.database })
    try {
      for (const { baseUrl } of [other, none])
        assert.strictEqual((await fetch(`${baseUrl}/admin/me`, { headers: { cookie } })).status, 401)
      const page = await (await fetch(none.baseUrl + SIGN_IN)).text()
      assert.notInclude(page, "<form")
      assert.include(page, "npm run -s troupe -- console")
      const body = new URLSearchParams({ token: "" })
      assert.strictEqual((await fetch(none.baseUrl + SIGN_IN, { method: "POST", body })).status, 403)
    } finally {
      await other.close()
      await none.close()
    }
    assert.strictEqual((await open("/admin/me", { cookie })).status, 200)
  })
})

describe("a wrong bearer of an operator", () => {
  const ask = async (token: string, address: string, path = "/admin/me") =>
    (await open(path, { authorization: `Bearer ${token}`, ...from(address) })).status
  const guess = async (times: number, address: string, token = "guess") => {
    const statuses: Array<number> = []
    for (let n = 0; n < times; n++) statuses.push(await ask(token, address, n % 2 === 0 ? "/admin/me" : "/metrics"))
    return statuses
  }
  const refusals = async (reason: string) => {
    const metrics = await open("/metrics", { authorization: `Bearer ${ADMIN_TOKEN}`, ...from("203.0.113.99") })
    return readSamples(await metrics.text())
      .filter(
        ({ name, labels }) =>
          name === "troupe_operator_sign_in_failures_total" &&
          labels["method"] === "bearer" &&
          labels["reason"] === reason
      )
      .reduce((sum, { value }) => sum + value, 0)
  }

  it("is limited by address, as in the form, also for the right one, and is counted and recorded", async () => {
    const before = { wrong: await refusals("wrong"), many: await refusals("too_many") }
    assert.deepStrictEqual(await guess(12, "203.0.113.20"), [...Array(10).fill(401), 429, 429])
    const limited = await open("/admin/me", { authorization: `Bearer ${ADMIN_TOKEN}`, ...from("203.0.113.20") })
    assert.strictEqual(limited.status, 429)
    assert.isAbove(Number(limited.headers.get("retry-after")), 0)
    assert.strictEqual(await ask(ADMIN_TOKEN, "203.0.113.21"), 200)
    assert.strictEqual((await refusals("wrong")) - before.wrong, 10)
    assert.strictEqual((await refusals("too_many")) - before.many, 3)
    const entries = (await audited("operator.sign_in_failed")).filter(({ address }) => address === "203.0.113.20")
    assert.sameDeepMembers(
      entries.map(({ actor_kind, detail }) => [actor_kind, detail]),
      [
        ["anybody", { method: "bearer", reason: "wrong" }],
        ["anybody", { method: "bearer", reason: "too_many" }]
      ]
    )
  })

  it("is limited if many are sent at the same time", async () => {
    const statuses = await Promise.all(Array.from({ length: 40 }, () => ask("guess", "203.0.113.22")))
    assert.lengthOf(
      statuses.filter((status) => status === 401),
      10
    )
    assert.strictEqual(await ask(ADMIN_TOKEN, "203.0.113.22"), 429)
  })

  it("counts together with the form", async () => {
    assert.deepStrictEqual(await guess(10, "203.0.113.23"), Array(10).fill(401))
    assert.strictEqual((await submit(SIGN_IN, { token: ADMIN_TOKEN }, from("203.0.113.23"))).status, 429)
    for (let n = 0; n < 11; n++) await submit(SIGN_IN, { token: "guess" }, from("203.0.113.24"))
    assert.strictEqual(await ask(ADMIN_TOKEN, "203.0.113.24"), 429)
  })

  it("that is an ended operator token keeps nobody of its address out", async () => {
    const { sql } = server.database
    const { key } = await createOperatorIn(server, "viewer")
    assert.strictEqual(await ask(key, "203.0.113.25"), 200)
    await sql`update operator_tokens set revoked_at = now() where prefix = ${key.slice(0, 11)}`
    assert.deepStrictEqual(await guess(11, "203.0.113.25", key), [...Array(10).fill(401), 429])
    assert.strictEqual(await ask(ADMIN_TOKEN, "203.0.113.25"), 200)
    assert.strictEqual((await submit(SIGN_IN, { token: ADMIN_TOKEN }, from("203.0.113.25"))).status, 200)
    assert.strictEqual(await ask((await createOperatorIn(server, "viewer")).key, "203.0.113.25"), 200)
  })

  it("that is not even a possible operator token keeps nobody of its address out", async () => {
    assert.deepStrictEqual(await guess(11, "203.0.113.26", "op_mistyped"), [...Array(10).fill(401), 429])
    assert.strictEqual(await ask(ADMIN_TOKEN, "203.0.113.26"), 200)
    assert.strictEqual((await submit(SIGN_IN, { token: ADMIN_TOKEN }, from("203.0.113.26"))).status, 200)
  })

  it("is a guess, whatever it begins with, if ADMIN_TOKEN looks like an operator token", async () => {
    const env = { ADMIN_TOKEN: "op_chosen-by-the-operator", TRUST_PROXY: "1" }
    const other = await startTestServer({ env, database: server.database })
    try {
      const askOther = async (token: string) =>
        (await fetch(`${other.baseUrl}/admin/me`, { headers: { authorization: `Bearer ${token}` } })).status
      assert.strictEqual(await askOther(env.ADMIN_TOKEN), 200)
      for (let n = 0; n < 10; n++) assert.strictEqual(await askOther("op_guess"), 401)
      assert.strictEqual(await askOther(env.ADMIN_TOKEN), 429)
    } finally {
      await other.close()
    }
  })
})

describe("a console link", () => {
  it("leads to the page that redeems it, signed in or not, and signs in an owner", async () => {
    const code = await consoleCodeIn(server)
    const session = await createOperatorSessionIn(server, "viewer")
    for (const headers of [{}, session.headers]) {
      const link = await open(`/console?code=${code}`, headers)
      assert.deepStrictEqual([link.status, link.headers.get("location")], [303, `${SIGN_IN}?code=${code}`])
    }
    const response = await open(`${SIGN_IN}?code=${code}`, session.headers)
    assert.strictEqual(response.status, 200)
    assert.strictEqual(response.headers.get("refresh"), "0; url=/console")
    assert.deepInclude((await me(cookieOf(response))).data, { id: "console link", role: "owner" })
    assert.strictEqual((await session.request("GET", "/admin/me")).status, 401)
  })

  it("works once, also when two browsers open it at the same time", async () => {
    const code = await consoleCodeIn(server)
    const opened = await Promise.all(Array.from({ length: 8 }, () => open(`${SIGN_IN}?code=${code}`)))
    assert.deepStrictEqual(opened.map(({ status }) => status).sort(), [200, ...Array(7).fill(403)])
    assert.include(await (await open(`${SIGN_IN}?code=${code}`)).text(), "no longer valid")
  })

  it("expires after five minutes", async () => {
    const begunAtMs = Date.now()
    const code = await consoleCodeIn(server)
    const [row] = await server.database.sql<Array<{ expires_at: Date }>>`
      select max(expires_at) as expires_at from console_codes`
    assertSince(row?.expires_at.toISOString(), begunAtMs, 300_000)
    await server.database.sql`update console_codes set expires_at = now()`
    assert.strictEqual((await open(`${SIGN_IN}?code=${code}`)).status, 403)
  })

  it("is not used up by a program that only looks at it", async () => {
    const code = await consoleCodeIn(server)
    const path = `${SIGN_IN}?code=${code}`
    assert.isUndefined(cookieIn(await fetch(server.baseUrl + path, { method: "HEAD" })))
    assert.isUndefined(cookieIn(await open(path, { "sec-purpose": "prefetch;prerender" })))
    assert.isDefined(cookieIn(await open(path)))
  })

  it("is refused if it was never issued", async () => {
    for (const code of ["x", "oc_", `oc_${"a".repeat(46)}`, "%00", "x".repeat(5000)])
      assert.strictEqual((await open(`${SIGN_IN}?code=${code}`)).status, 403, code)
  })
})

describe("the session of a browser", () => {
  it("is asked for by every page of the console, which comes back to what was asked for", async () => {
    const { status, headers } = await open("/console/apps?cursor=")
    assert.strictEqual(status, 303)
    assert.strictEqual(headers.get("location"), `${SIGN_IN}?next=${encodeURIComponent("/console/apps?cursor=")}`)
  })

  it("ends at sign-out, for good", async () => {
    const session = await createOperatorSessionIn(server, "viewer")
    assert.strictEqual((await session.request("POST", "/console/sign-out")).status, 403)
    const out = await session.request("POST", "/console/sign-out", {
      body: new URLSearchParams({ csrf: session.csrf })
    })
    assert.deepStrictEqual([out.status, out.headers.get("location")], [303, `${SIGN_IN}?signed_out=1`])
    assert.match(cookieIn(out) ?? "", /^troupe-operator=; Max-Age=0;/)
    assert.strictEqual((await session.request("GET", "/admin/me")).status, 401)
    assert.deepInclude((await audited("operator.signed_out"))[0], { subject: session.prefix, actor: "test viewer" })
  })

  it("is listed and ended by its operator, and by an owner", async () => {
    const [mine, theirs] = [
      await createOperatorSessionIn(server, "operator", "ann@example.com"),
      await createOperatorSessionIn(server, "operator", "bob@example.com")
    ]
    const owner = await createOperatorSessionIn(server, "owner")
    const listed = async (by: typeof mine) =>
      ((await (await by.request("GET", "/admin/sign-ins?limit=100")).json()) as any).data.sign_ins
    assert.deepStrictEqual(
      (await listed(mine)).map(({ prefix, is_current }: any) => [prefix, is_current]),
      [[mine.prefix, true]]
    )
    const all = (await listed(owner)).map(({ prefix }: any) => prefix)
    assert.includeMembers(all, [mine.prefix, theirs.prefix, owner.prefix])
    const end = (by: typeof mine, prefix: string) =>
      by.request("DELETE", `/admin/sign-ins/${prefix}`, { headers: { "x-csrf-token": by.csrf } })
    assert.strictEqual((await end(mine, theirs.prefix)).status, 404)
    assert.strictEqual((await end(owner, theirs.prefix)).status, 200)
    assert.strictEqual((await theirs.request("GET", "/admin/me")).status, 401)
    assert.strictEqual((await end(owner, "os_unknown")).status, 404)
    assert.strictEqual((await end(mine, mine.prefix)).status, 200)
    assert.strictEqual((await mine.request("GET", "/admin/me")).status, 401)
    assert.deepInclude((await audited("operator_session.revoked"))[1], { actor: "test owner", subject: theirs.prefix })
  })

  it("cannot be fixed by somebody else: a cookie that was not issued signs nobody in", async () => {
    const planted = `troupe-operator=os_${"a".repeat(46)}`
    const response = await submit(SIGN_IN, { token: ADMIN_TOKEN }, { cookie: planted })
    assert.notInclude(cookieOf(response), "a".repeat(46))
    assert.strictEqual((await open("/admin/me", { cookie: planted })).status, 401)
  })
})

describe("the pages of the sign-in", () => {
  it("run no script, load nothing, and cannot be framed or cached", async () => {
    const { headers } = await open(SIGN_IN)
    const policy = headers.get("content-security-policy") ?? ""
    assert.include(policy, "default-src 'none'")
    assert.include(policy, "frame-ancestors 'none'")
    assert.notMatch(policy, /unsafe|script-src/)
    assert.strictEqual(headers.get("cache-control"), "no-store")
    assert.strictEqual(headers.get("referrer-policy"), "same-origin")
  })

  it("show the token of no form, and escape what they are given", async () => {
    const page = await (await open(`${SIGN_IN}?next=${encodeURIComponent('/console/"><script>')}`)).text()
    assert.notInclude(page, "<script")
    assert.notInclude(await (await submit(SIGN_IN, { token: "hush-hush" })).text(), "hush-hush")
  })
})
