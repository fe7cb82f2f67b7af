import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Signature, startForgingIssuer } from "#test/support/accounts/startForgingIssuer.ts"
import { ISSUER_CLIENT, startIssuer, type TestIssuer } from "#test/support/accounts/startIssuer.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

const OPERATORS =
  "ada@example.com:owner, bob@example.com:viewer,groups=sre:operator, https://id.example/role=lead:viewer, " +
  "kit@example.com:owner"
let issuer: TestIssuer
let server: TestServer
const settings = () => ({
  NODE_ENV: "production",
  OIDC_ISSUER: issuer.url,
  OIDC_CLIENT_ID: ISSUER_CLIENT.id,
  OIDC_CLIENT_SECRET: ISSUER_CLIENT.secret,
  TRUST_PROXY: "1"
})
beforeAll(async () => {
  issuer = await startIssuer()
  server = await startTestServer({ env: { ...settings(), OPERATORS } })
})
afterAll(async () => {
  await server.close()
  issuer.close()
})

/** A browser: it keeps cookies of each host, and follows redirects until a page. */
const browse = () => {
  const cookies = new Map<string, string>()
  const open = async (url: string): Promise<Response> => {
    const { host } = new URL(url)
    const cookie = [...cookies].filter(([key]) => key.startsWith(`${host} `)).map(([, value]) => value)
    const response = await fetch(url, { redirect: "manual", headers: { cookie: cookie.join("; ") } })
    for (const line of response.headers.getSetCookie())
      cookies.set(`${host} ${line.split("=")[0]}`, line.split(";")[0] ?? "")
    const to = response.headers.get("location")
    return to === null ? response : open(new URL(to, url).href)
  }
  return { open, cookie: () => [...cookies.values()].join("; ") }
}
const signIn = async (claims: Readonly<Record<string, unknown>>) => {
  issuer.become(claims)
  const { open, cookie } = browse()
  const page = await open(`${server.baseUrl}/console/sign-in/issuer?next=/console/apps`)
  const me = await open(`${server.baseUrl}/admin/me`)
  return { page, me, data: me.status === 200 ? ((await me.json()) as any).data : null, open, cookie }
}

describe("signing in through the issuer", () => {
  it("says that the issuer cannot be reached", async () => {
    const { status } = await browse().open(`${server.baseUrl}/console/sign-in/issuer`)
    assert.strictEqual(status, 502)
    issuer.know(`${server.baseUrl}/console/sign-in/callback`)
  })

  it("keeps the browser's part in a cookie of this host only, where the browser came over https", async () => {
    const begin = async (headers: Record<string, string>) => {
      const url = `${server.baseUrl}/console/sign-in/issuer`
      return (await fetch(url, { redirect: "manual", headers })).headers.getSetCookie().at(-1)
    }
    assert.match(
      (await begin({ "x-forwarded-proto": "https" })) ?? "",
      /^__Host-troupe-operator-sign-in=.*; HttpOnly; Secure; SameSite=Lax$/
    )
    assert.match((await begin({})) ?? "", /^troupe-operator-sign-in=.*; HttpOnly; SameSite=Lax$/)
  })

  it("makes an operator of whom OPERATORS lists, with the highest of their roles", async () => {
    assert.include(await (await fetch(`${server.baseUrl}/console/sign-in`)).text(), "/console/sign-in/issuer")
    const ada = await signIn({ email: "Ada@Example.com", email_verified: true, name: "Ada", groups: ["sre"] })
    assert.strictEqual(ada.page.headers.get("refresh"), "0; url=/console/apps")
    assert.deepInclude(ada.data, { id: "ada@example.com", name: "Ada", role: "owner", via: "session" })
    const bob = await signIn({ email: "bob@example.com", email_verified: true, groups: ["dev", "sre"] })
    assert.deepInclude(bob.data, { id: "bob@example.com", role: "operator" })
    const lead = await signIn({ "https://id.example/role": "lead", name: "Lee", groups: "sre" })
    assert.deepInclude(lead.data, { name: "Lee", role: "operator" })
    assert.match(lead.data.id, /^subject [0-9a-f]{16}$/)
    const [entry] = await server.database.sql`
      select actor, detail from audit_log where action = 'operator.signed_in' and actor = 'ada@example.com'`
    assert.deepInclude(entry?.["detail"], { method: "issuer", role: "owner" })
  })

  it("does not count an email that is not verified or not plain ASCII, and lets nobody else in", async () => {
    for (const claims of [
      { email: "ada@example.com", email_verified: false },
      { email: "ada@example.com" },
      { email: "ada@example.com", email_verified: "true" },
      { email: "eve@example.com", email_verified: true },
      // They become the emails of operators when U+0000 is left out, and the Kelvin sign is made lower case.
      { email: "a\0da@example.com", email_verified: true },
      { email: "\u212ait@example.com", email_verified: true },
      { name: "ada@example.com", groups: ["sre-interns", 1, null] },
      {}
    ]) {
      const { page, me } = await signIn(claims)
      assert.deepStrictEqual([page.status, me.status], [403, 401], JSON.stringify(claims))
      assert.include(await page.text(), "Not an operator")
    }
  })

  it("believes an ID token only if a key of the issuer has signed it", async () => {
    const forger = await startForgingIssuer({ sub: "ada", email: "ada@example.com", email_verified: true })
    const env = { ...settings(), OIDC_ISSUER: forger.url, OPERATORS }
    const other = await startTestServer({ database: server.database, env })
    const cases: ReadonlyArray<readonly [Signature, number, number]> = [
      ["own key", 200, 200],
      ["foreign key", 403, 401],
      ["missing", 403, 401],
      ["none", 403, 401]
    ]
    try {
      for (const [signature, page, me] of cases) {
        forger.signWith(signature)
        const { open } = browse()
        const shown = await open(`${other.baseUrl}/console/sign-in/issuer`)
        const { status } = await open(`${other.baseUrl}/admin/me`)
        assert.deepStrictEqual([shown.status, status], [page, me], signature)
      }
    } finally {
      await other.close()
      forger.close()
    }
  })

  it("rejects a response that was not meant for this browser, and uses each once", async () => {
    const { open } = browse()
    const callback = `${server.baseUrl}/console/sign-in/callback`
    assert.strictEqual((await open(`${callback}?code=x&state=y`)).status, 410)
    const { open: ada } = await signIn({ email: "ada@example.com", email_verified: true })
    assert.strictEqual((await ada(`${callback}?code=x&state=y`)).status, 410)
    const begun = await fetch(`${server.baseUrl}/console/sign-in/issuer`, { redirect: "manual" })
    const cookie = begun.headers.getSetCookie()[0] ?? ""
    assert.match(cookie, /HttpOnly; SameSite=Lax/)
    const { status } = await fetch(`${callback}?code=x&state=y`, { headers: { cookie: cookie.split(";")[0] ?? "" } })
    assert.strictEqual(status, 403)
  })

  it("ends sessions when the entry in OPERATORS is gone or has another role", async () => {
    const { cookie } = await signIn({ email: "ada@example.com", email_verified: true })
    const OPERATORS = "ada@example.com:viewer"
    const other = await startTestServer({ database: server.database, env: { ...settings(), OPERATORS } })
    try {
      const at = async (baseUrl: string) =>
        (await fetch(`${baseUrl}/admin/me`, { headers: { cookie: cookie() } })).status
      assert.deepStrictEqual([await at(server.baseUrl), await at(other.baseUrl)], [200, 401])
    } finally {
      await other.close()
    }
  })

  it("is not offered without OPERATORS", async () => {
    const closed = await startTestServer({ database: server.database, env: settings() })
    try {
      assert.notInclude(await (await fetch(`${closed.baseUrl}/console/sign-in`)).text(), "sign-in/issuer")
      assert.strictEqual((await fetch(`${closed.baseUrl}/console/sign-in/issuer`)).status, 404)
    } finally {
      await closed.close()
    }
  })
})
