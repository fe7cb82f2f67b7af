import * as client from "openid-client"
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { ALL_SCOPES } from "#src/accounts/scopes.ts"
import { approve, browse, signInCode } from "#test/support/browser/approve.ts"
import { createAccountIn, type TestAccount } from "#test/support/accounts/createAccountIn.ts"
import { freePort } from "#test/support/freePort.ts"
import { rawClient } from "#test/support/hostile/rawRequest.ts"
import { type Answer, TestApp } from "#test/support/TestApp.ts"
import { seenWithin } from "#test/support/seenWithin.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"
import { assertSince } from "#test/support/assertSince.ts"

const START = "/v1/account/device/start"
const TOKEN = "/v1/account/device/token"
const GRANT = "urn:ietf:params:oauth:grant-type:device_code"

let server: TestServer
let anybody: TestApp
let account: TestAccount
beforeAll(async () => {
  server = await startTestServer()
  anybody = new TestApp(server.baseUrl, "", "")
  account = await createAccountIn(server)
})
afterAll(() => server.close())
// Each test starts as if no code had been given to this address.
beforeEach(async () => {
  await server.database.sql`delete from rolling_limits`
})

const start = async (body?: object): Promise<Answer["body"]> => (await anybody.post(START, body)).body.data
const exchange = (device_code: unknown, by = anybody) => by.post(TOKEN, { device_code })
const form = async (path: string, parameters: Record<string, string> | string) => {
  const response = await fetch(server.baseUrl + path, { method: "POST", body: new URLSearchParams(parameters) })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer["body"] }
}
const shape = ({ status, body }: Answer) => [status, body.detail?.code]
const row = async () => (await server.database.sql`select * from device_codes order by created_at desc limit 1`)[0]
/** Approves as a person would on the page. */
const decide = (status: "approved" | "denied") =>
  server.database
    .sql`update device_codes set status = ${status}, account_id = ${account.accountId} where status = 'pending'`
/** As if the pending codes had this interval, and had last been polled so many seconds ago, or never. */
const polled = (secondsAgo: number | null, intervalSeconds: number) => server.database.sql`
  update device_codes set polled_at = now() - ${secondsAgo}::int * interval '1 second',
    interval_seconds = ${intervalSeconds} where status = 'pending'`
const later = (seconds: number) => server.database.sql`
  update device_codes set polled_at = polled_at - ${seconds}::int * interval '1 second',
    expires_at = expires_at - ${seconds}::int * interval '1 second'`

describe("starting the device flow", () => {
  it("returns what RFC 8628 and the contract require", async () => {
    const from = Date.now()
    const { status, headers, body } = await anybody.post(START, {
      client_name: "My agent",
      scopes: ["apps:read"],
      client_nmae: "typo"
    })
    assert.strictEqual(status, 200)
    assert.strictEqual(headers.get("cache-control"), "no-store")
    const { data } = body
    assert.match(data.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{5}-[BCDFGHJKLMNPQRSTVWXZ]{5}$/)
    assert.deepInclude(data, {
      verification_uri: `${server.baseUrl}/device`,
      verification_uri_complete: `${server.baseUrl}/device?user_code=${data.user_code}`,
      expires_in: 900,
      interval: 5,
      interval_seconds: 5,
      ignored_fields: ["client_nmae"]
    })
    assertSince(data.expires_at, from, 900_000)
    assert.isAbove(data.device_code.length, 40)
  })

  it("accepts an empty body, and then requests every scope", async () => {
    const { device_code } = await start()
    await decide("approved")
    assert.deepStrictEqual((await exchange(device_code)).body.data.scopes, ALL_SCOPES)
  })

  it("refuses unknown scopes, and invalid names", async () => {
    for (const body of [
      { scopes: ["apps:delete"] },
      { scopes: [] },
      { scopes: "apps:read" },
      { client_name: "" },
      { client_name: "x".repeat(81) },
      []
    ]) {
      assert.deepStrictEqual(shape(await anybody.post(START, body)), [422, "validation_error"])
    }
  })

  it("accepts JSON that curl labels as a form", async () => {
    const response = await fetch(server.baseUrl + START, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: '{"client_name":"curl"}'
    })
    assert.property(((await response.json()) as Answer["body"]).data, "device_code")
    assert.strictEqual((await row())?.["client_name"], "curl")
  })

  it("stores neither of the codes in plain text", async () => {
    const { device_code, user_code } = await start()
    const stored = JSON.stringify(
      await server.database
        .sql`select to_jsonb(d) as row from device_codes d union all select to_jsonb(s) from device_sign_ins s`
    )
    assert.notInclude(stored, device_code)
    assert.notInclude(stored, user_code)
  })

  it("is refused for an address after exactly 20 codes in ten minutes, over all processes", async () => {
    const second = await startTestServer({ database: server.database })
    const others = new TestApp(second.baseUrl, "", "")
    const begunAt = performance.now()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? anybody : others).post(START, undefined))
    )
    assert.strictEqual(answers.filter(({ status }) => status === 200).length, 20)
    const refused = answers.find(({ status }) => status !== 200) ?? assert.fail()
    assert.deepStrictEqual(shape(refused), [429, "account_device_rate_limited"])
    const wait = Number(refused.headers.get("retry-after"))
    assert.isAtMost(wait, 600)
    assert.isAtLeast(wait, Math.floor(600 - (performance.now() - begunAt) / 1000))
    assert.include(refused.body.detail.fix, `${wait} seconds`)
    await server.database
      .sql`update rolling_limits set hits = array(select hit - interval '590 seconds' from unnest(hits) hit)`
    assert.isAtMost(Number((await anybody.post(START, undefined)).headers.get("retry-after")), 10)
    await server.database
      .sql`update rolling_limits set hits = array(select hit - interval '10 seconds' from unnest(hits) hit)`
    assert.strictEqual((await anybody.post(START, undefined)).status, 200)
    await second.close()
  })

  it("is counted by connection address, whatever headers a caller sends, unless a proxy is trusted", async () => {
    for (let n = 0; n < 20; n++) await anybody.post(START, undefined, { "x-forwarded-for": `192.0.2.${n}` })
    assert.strictEqual((await anybody.post(START, undefined, { "x-forwarded-for": "192.0.2.99" })).status, 429)
    const behind = await startTestServer({
      env: {
        TRUST_PROXY: "true",
        OIDC_ISSUER: "https://id.example",
        OIDC_CLIENT_ID: "troupe",
        OIDC_CLIENT_SECRET: "a secret of the issuer's"
      }
    })
    const proxied = new TestApp(behind.baseUrl, "", "")
    // The network of an IPv6 customer counts as one.
    for (let n = 0; n < 20; n++) await proxied.post(START, undefined, { "x-forwarded-for": `2001:db8:0:1::${n}` })
    assert.strictEqual(
      (await proxied.post(START, undefined, { "x-forwarded-for": "2001:db8:0:1:ffff::1" })).status,
      429
    )
    for (const address of ["2001:db8:0:2::1", "192.0.2.1", "not an address"]) {
      assert.strictEqual((await proxied.post(START, undefined, { "x-forwarded-for": address })).status, 200, address)
    }
    await behind.close()
  })
})

describe("exchanging a device code", () => {
  it("returns a token of 30 days, once, when it is approved", async () => {
    const from = Date.now()
    const { device_code } = await start({ client_name: "My agent", scopes: ["usage:read"] })
    await decide("approved")
    const { status, headers, body } = await exchange(device_code)
    assert.strictEqual(status, 200)
    assert.strictEqual(headers.get("cache-control"), "no-store")
    const { access_token, ...rest } = body.data
    assert.match(access_token, /^lat_[0-9A-Za-z]{46}$/)
    assert.deepInclude(rest, { token_type: "bearer", scopes: ["usage:read"], scope: "usage:read" })
    assertSince(rest.expires_at, from, 30 * 86_400_000)
    assert.deepStrictEqual(shape(await exchange(device_code)), [400, "expired_token"])
    const stored = JSON.stringify(
      await server.database
        .sql`select to_jsonb(t) as row from account_tokens t union all select to_jsonb(a) from audit_log a`
    )
    assert.notInclude(stored, access_token.slice(12))
    const tokens = (await new TestApp(server.baseUrl, "", access_token).get("/v1/account")).body.data
    assert.deepInclude(tokens.token, { client_name: "My agent", scopes: ["usage:read"] })
  })

  it("returns it to exactly one of many concurrent requests", async () => {
    const { device_code } = await start()
    await decide("approved")
    const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(device_code)))
    assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, ...Array<number>(19).fill(400)])
  })

  it("is pending until somebody decides: 400 authorization_pending, with the interval", async () => {
    const { device_code } = await start()
    const answer = await exchange(device_code)
    assert.deepStrictEqual(shape(answer), [400, "authorization_pending"])
    assert.deepStrictEqual([answer.body.detail.interval_seconds, answer.headers.get("retry-after")], [5, "5"])
  })

  it("is slowed down by 5 seconds each time it is polled too soon, by any process: 429 slow_down", async () => {
    const second = await startTestServer({ database: server.database })
    const { device_code } = await start()
    const tooSoon = await seenWithin(server.database.sql, 4_900, async () => {
      await polled(null, 5)
      await exchange(device_code)
      return exchange(device_code, new TestApp(second.baseUrl, "", ""))
    })
    assert.deepStrictEqual(shape(tooSoon), [429, "slow_down"])
    assert.deepStrictEqual([tooSoon.body.detail.interval_seconds, tooSoon.headers.get("retry-after")], [10, "10"])
    const again = await seenWithin(server.database.sql, 3_900, async () => {
      await polled(6, 10)
      return exchange(device_code)
    })
    assert.deepStrictEqual([...shape(again), again.body.detail.interval_seconds], [429, "slow_down", 15])
    await later(15)
    const patient = await exchange(device_code)
    assert.deepStrictEqual(
      [...shape(patient), patient.body.detail.interval_seconds],
      [400, "authorization_pending", 15]
    )
    await decide("approved")
    assert.strictEqual((await exchange(device_code)).status, 200, "what is decided need not be waited for")
    await second.close()
  })

  it("is denied: 403 access_denied", async () => {
    const { device_code } = await start()
    await decide("denied")
    for (let n = 0; n < 2; n++) assert.deepStrictEqual(shape(await exchange(device_code)), [403, "access_denied"])
  })

  it("has expired, approved or not: 400 expired_token", async () => {
    for (const before of [async () => {}, () => decide("approved")]) {
      const { device_code } = await start()
      await before()
      await later(900)
      assert.deepStrictEqual(shape(await exchange(device_code)), [400, "expired_token"])
    }
  })

  it("is refused with an unknown code: 400 expired_token", async () => {
    const { user_code } = await start()
    for (const code of ["x", user_code, "A".repeat(43)])
      assert.deepStrictEqual(shape(await exchange(code)), [400, "expired_token"])
  })

  it("needs a device code, and accepts no other grant", async () => {
    for (const body of [
      undefined,
      {},
      { device_code: "" },
      { device_code: 1 },
      { device_code: "x", grant_type: "password" }
    ]) {
      assert.deepStrictEqual(shape(await anybody.post(TOKEN, body)), [422, "validation_error"])
    }
  })
})

describe("plain OAuth", () => {
  it("works with openid-client's own device flow, which waits as requested, and gets its token", async () => {
    const config = await client.discovery(new URL(server.baseUrl), "a foreign client", undefined, client.None(), {
      algorithm: "oauth2",
      execute: [client.allowInsecureRequests]
    })
    const device = await client.initiateDeviceAuthorization(config, { scope: "apps:read keys:write" })
    assert.strictEqual(device.verification_uri, `${server.baseUrl}/device`)
    const polling = client.pollDeviceAuthorizationGrant(config, { ...device, interval: 0 })
    await until("the first poll", async () => (await row())?.["polled_at"] !== null)
    await decide("approved")
    const tokens = await polling
    assert.deepInclude(tokens, { token_type: "bearer", scope: "apps:read keys:write" })
    assert.strictEqual((await new TestApp(server.baseUrl, "", tokens.access_token).get("/v1/account/apps")).status, 200)
    assert.strictEqual((await row())?.["client_name"], "a foreign client")
  })

  it("reports a denied request to openid-client", async () => {
    const config = await client.discovery(new URL(server.baseUrl), "a foreign client", undefined, client.None(), {
      algorithm: "oauth2",
      execute: [client.allowInsecureRequests]
    })
    const device = await client.initiateDeviceAuthorization(config, { scope: "apps:read" })
    await decide("denied")
    const error = await client
      .pollDeviceAuthorizationGrant(config, { ...device, interval: 0 })
      .catch((failed: unknown) => failed)
    assert.instanceOf(error, client.ResponseBodyError)
    assert.strictEqual((error as client.ResponseBodyError).error, "access_denied")
  })

  it("has its fields at the top level, and its errors with status 400 in error", async () => {
    const started = await form(START, { client_id: "form" })
    assert.strictEqual(started.status, 200)
    assert.hasAllKeys(started.body, [
      "device_code",
      "user_code",
      "verification_uri",
      "verification_uri_complete",
      "expires_in",
      "expires_at",
      "interval",
      "interval_seconds"
    ])
    const { device_code } = started.body
    const ask = async (parameters: Record<string, string> | string) => {
      const { status, body } = await form(TOKEN, parameters)
      assert.strictEqual(status, 400)
      assert.hasAllKeys(body, ["error", "error_description"])
      return body.error
    }
    const asked = await seenWithin(server.database.sql, 4_900, async () => {
      await polled(null, 5)
      return [await ask({ grant_type: GRANT, device_code }), await ask({ grant_type: GRANT, device_code })]
    })
    assert.deepStrictEqual(asked, ["authorization_pending", "slow_down"])
    assert.strictEqual(await ask({ grant_type: GRANT, device_code: "x" }), "expired_token")
    assert.strictEqual(await ask({ grant_type: "password", device_code }), "unsupported_grant_type")
    assert.strictEqual(await ask({ device_code }), "unsupported_grant_type")
    assert.strictEqual(await ask({ grant_type: GRANT }), "invalid_request")
    assert.strictEqual(await ask(`grant_type=${GRANT}&device_code=a&device_code=b`), "invalid_request")
    assert.strictEqual(await ask(`grant_type=${GRANT}&device_code=%00`), "invalid_request")
    assert.strictEqual((await form(START, { client_id: "form", scope: "openid" })).body.error, "invalid_scope")
    await decide("denied")
    assert.strictEqual(await ask({ grant_type: GRANT, device_code }), "access_denied")
    for (let n = 0; n < 20; n++) await form(START, { client_id: "form" })
    const limited = await form(START, { client_id: "form" })
    assert.deepStrictEqual(
      [limited.status, limited.body.error, limited.headers.has("retry-after")],
      [429, "account_device_rate_limited", true]
    )
  })

  it("is announced at the address where OAuth clients look (RFC 8414)", async () => {
    const { status, body } = await anybody.get("/.well-known/oauth-authorization-server")
    assert.strictEqual(status, 200)
    assert.deepInclude(body, {
      issuer: server.baseUrl,
      device_authorization_endpoint: server.baseUrl + START,
      token_endpoint: server.baseUrl + TOKEN,
      scopes_supported: ALL_SCOPES
    })
  })
})

describe("the code page", () => {
  const enter = (user_code: string) =>
    fetch(`${server.baseUrl}/device`, { method: "POST", redirect: "manual", body: new URLSearchParams({ user_code }) })

  it("lets an address try 20 codes in ten minutes, and no more", async () => {
    const { user_code } = await start()
    const statuses = await Promise.all(Array.from({ length: 30 }, async () => (await enter("BBBBB-BBBBB")).status))
    assert.deepStrictEqual(
      [statuses.filter((status) => status === 400).length, statuses.filter((status) => status === 429).length],
      [20, 10]
    )
    assert.strictEqual((await enter(user_code)).status, 429)
    await server.database.sql`delete from rolling_limits`
    assert.strictEqual((await enter(user_code)).status, 303)
  })

  it("runs no script, cannot be framed, and submits its forms nowhere else", async () => {
    const response = await fetch(`${server.baseUrl}/device`)
    const policy = response.headers.get("content-security-policy") ?? ""
    for (const rule of ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"])
      assert.include(policy, rule)
    assert.notInclude(policy, "unsafe")
    assert.notMatch(await response.text(), /<script|javascript:|\son\w+=/)
  })

  it("rejects a form that another site submits", async () => {
    const { user_code } = await start()
    const response = await fetch(`${server.baseUrl}/device`, {
      method: "POST",
      redirect: "manual",
      headers: { "sec-fetch-site": "cross-site" },
      body: new URLSearchParams({ user_code })
    })
    assert.strictEqual(response.status, 403)
  })

  it("shows the typed code as text", async () => {
    assert.include(await (await enter(`"><img src=x>`)).text(), `value="&quot;&gt;&lt;img src=x&gt;"`)
  })

  it.each(["/device/confirm", "/device/sign-in", "/device/callback?code=x&state=y"])(
    "shows no decision in a browser without a cookie: %s",
    async (path) => {
      for (const cookie of ["", "troupe-device=x", "troupe-device=%00"])
        assert.strictEqual((await fetch(server.baseUrl + path, { headers: { cookie } })).status, 410)
    }
  )
})

describe("a body that is too large", () => {
  it("is refused with the size limit, whatever its content", async () => {
    for (const path of [START, TOKEN, "/device", "/device/decision"]) {
      for (const type of ["application/json", "application/x-www-form-urlencoded"].filter(
        (type) => path.startsWith("/v1/") || type !== "application/json"
      )) {
        const response = await fetch(server.baseUrl + path, {
          method: "POST",
          headers: { "content-type": type },
          body: "a".repeat(16_385)
        })
        assert.strictEqual(response.status, 413)
        assert.include(await response.text(), "larger than 16384 bytes", `${path} ${type}`)
      }
    }
    assert.include(
      (await account.client.post("/v1/account/apps", "a".repeat(1_048_577))).body.detail.message,
      "larger than 1048576 bytes"
    )
  })
})

describe("the development sign-in", () => {
  const DISCOVERY = "/dev-issuer/.well-known/openid-configuration"

  it("exists on this machine, and not for anybody from elsewhere or through a proxy", async () => {
    assert.strictEqual((await fetch(server.baseUrl + DISCOVERY)).status, 200)
    const raw = rawClient(server.baseUrl)
    for (const headers of [
      { "x-forwarded-for": "192.0.2.1" },
      { forwarded: "for=192.0.2.1" },
      { via: "1.1 proxy" }
    ] as ReadonlyArray<Record<string, string>>) {
      const answer = await raw.send({ method: "GET", path: DISCOVERY, headers })
      assert.deepStrictEqual(
        [answer.status, JSON.parse(answer.body).detail.code],
        [404, "route_not_found"],
        JSON.stringify(headers)
      )
    }
    raw.close()
  })

  it("accepts any name", async () => {
    for (const name of [`${"a".repeat(59)}🦊`, "名".repeat(60), "İ".repeat(60)]) {
      const { device_code, verification_uri_complete } = await start()
      await approve(verification_uri_complete, server, name)
      assert.strictEqual((await exchange(device_code)).status, 200, name)
    }
  })

  /** Goes to the page that asks for the code on the console. */
  const beginSignIn = async () => {
    const { device_code, verification_uri_complete } = await start()
    const open = browse()
    await open(`${server.baseUrl}/device`, {
      user_code: new URL(verification_uri_complete).searchParams.get("user_code") ?? ""
    })
    const { url, text } = await open(`${server.baseUrl}/device/sign-in`)
    return { device_code, url, text, enter: (code: string) => open(url, { name: "Ada", code }) }
  }
  const titleOf = ({ text }: { readonly text: string }) => /<h1>([^<]*)/.exec(text)?.[1]

  it("lets nobody in without the code on the server's console, which no page shows", async () => {
    const { text, enter } = await beginSignIn()
    const code = signInCode(server.stdout())
    assert.match(code, /^[A-Z]{5}-[A-Z]{5}$/)
    assert.notInclude(text, code)
    for (const wrong of ["", "BCDF-GHJK", "0000-0000", `${code}B`]) {
      const refused = await enter(wrong)
      assert.strictEqual(titleOf(refused), "Development sign-in", wrong)
      assert.match(refused.text, /Wrong code\. Use the newest code/)
    }
    assert.strictEqual(titleOf(await enter(code.toLowerCase())), "Allow access?")
  })

  it("accepts a code for its own sign-in only, and only once", async () => {
    const first = await beginSignIn()
    const code = signInCode(server.stdout())
    const second = await beginSignIn()
    assert.notStrictEqual(signInCode(server.stdout()), code)
    assert.strictEqual(titleOf(await second.enter(code)), "Development sign-in")
    assert.strictEqual(titleOf(await first.enter(code)), "Allow access?")
    assert.strictEqual(titleOf(await first.enter(code)), "Sign-in ended")
  })

  it("ends after five wrong codes, even for the right one", async () => {
    const { enter } = await beginSignIn()
    const code = signInCode(server.stdout())
    for (let tries = 1; tries < 5; tries++) assert.strictEqual(titleOf(await enter("BCDF-GHJK")), "Development sign-in")
    assert.strictEqual(titleOf(await enter("BCDF-GHJK")), "Sign-in ended")
    const refused = await enter(code)
    assert.strictEqual(titleOf(refused), "Sign-in ended")
    assert.include(refused.text, "Enter the code of your program again")
  })

  it.each<Record<string, string>>([
    { NODE_ENV: "production" },
    { PUBLIC_URL: "https://troupe.example" },
    { TRUST_PROXY: "true" }
  ])("does not exist, and the device flow cannot be started, with %o", async (env) => {
    const port = await freePort()
    const without = await startTestServer({ env: { ...env, PORT: String(port) } })
    const address = `http://127.0.0.1:${port}`
    assert.strictEqual((await fetch(address + DISCOVERY)).status, 404)
    const refused = await new TestApp(address, "", "").post(START, undefined)
    assert.deepStrictEqual(shape(refused), [503, "account_sign_in_disabled"])
    assert.isFalse(refused.headers.has("retry-after"))
    await without.close()
  })
})
