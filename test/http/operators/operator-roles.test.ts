import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { includesRole, OPERATOR_ROLES, type OperatorRole } from "#src/accounts/Operator.ts"
import { createAccountIn } from "#test/support/accounts/createAccountIn.ts"
import { createOperatorIn, createOperatorSessionIn } from "#test/support/accounts/createOperatorIn.ts"
import { operationsIn } from "#test/support/sources/operationsIn.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

const ADMIN_TOKEN = "the-operator-and-nobody-else"
/** Every route that requires a role, with that role: from the document, which derives it from the declarations. */
interface Route {
  readonly method: string
  readonly path: string
  readonly role: OperatorRole
}

let server: TestServer
let routes: ReadonlyArray<Route>
beforeAll(async () => {
  server = await startTestServer({ env: { ADMIN_TOKEN, PUBLIC_REQUESTS_PER_MINUTE: "1000000", TRUST_PROXY: "1" } })
  routes = operationsIn((await new TestApp(server.baseUrl, "", "").get("/openapi.json")).body).flatMap(
    ({ path, method, operation: { security } }) =>
      security?.[0]?.operatorToken === undefined
        ? []
        : [{ method: method.toUpperCase(), path, role: security[0].operatorToken[0] as OperatorRole }]
  )
})
afterAll(() => server.close())

interface Told {
  readonly status: number
  readonly code: string | null
}

let sent = 0
/** Each request comes from an address of its own, because wrong credentials are limited by address. */
const nextAddress = () => {
  sent++
  return `10.${sent >> 16}.${(sent >> 8) & 255}.${sent & 255}`
}

/** Only the beginning of the answer, because some stream. A page answers 303 where the API answers 401. */
const send = async ({ method, path }: Route, headers: Record<string, string>): Promise<Told> => {
  const leave = new AbortController()
  // The pages of the console take forms.
  const type = path.startsWith("/console") ? "application/x-www-form-urlencoded" : "application/json"
  const response = await fetch(server.baseUrl + path.replaceAll(/\{\w+\}/g, "unknown"), {
    method,
    headers: { "x-forwarded-for": nextAddress(), ...headers, ...(method === "GET" ? {} : { "content-type": type }) },
    ...(method === "GET" ? {} : { body: path.startsWith("/console") ? "" : "{}" }),
    redirect: "manual",
    signal: leave.signal
  })
  const isJson = response.headers.get("content-type")?.includes("json") === true
  const body: any = isJson ? await response.json() : null
  leave.abort()
  const toSignIn = /^\/console\/sign-in(?!\?signed_out)/.test(response.headers.get("location") ?? "")
  return {
    status: response.status === 303 && toSignIn ? 401 : response.status,
    code: body?.detail?.code ?? null
  }
}
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })

const isRefusal = ({ status, code }: Told) =>
  status === 401 || code === "operator_role_too_low" || code === "csrf_failed"

describe("every route of operators", () => {
  it("is found by its declaration", () => {
    assert.includeDeepMembers([...routes], [{ method: "GET", path: "/admin/apps", role: "viewer" }])
  })

  it("is closed to everybody else: without a credential, and with any other", async () => {
    const app = await server.createApp()
    const account = await createAccountIn(server)
    const demo = (await new TestApp(server.baseUrl, "", "").post("/v1/demo/sandbox-key", undefined)).body.data.api_key
    const [expired, revoked] = [await createOperatorIn(server, "owner"), await createOperatorIn(server, "owner")]
    const [over, ended] = [
      await createOperatorSessionIn(server, "owner"),
      await createOperatorSessionIn(server, "owner")
    ]
    const { sql } = server.database
    await sql`update operator_tokens set expires_at = now() where prefix = ${expired.key.slice(0, 11)}`
    await sql`update operator_tokens set revoked_at = now() where prefix = ${revoked.key.slice(0, 11)}`
    await sql`update operator_sessions set expires_at = now() where prefix = ${over.prefix}`
    await sql`update operator_sessions set revoked_at = now() where prefix = ${ended.prefix}`
    const secrets = ["x", `${ADMIN_TOKEN}x`, ADMIN_TOKEN.toUpperCase(), app.key, demo, account.client.key]
    const refused: ReadonlyArray<Record<string, string>> = [
      {},
      ...[...secrets, expired.key, revoked.key].map(bearer),
      // The cookie is not looked at where there is a bearer.
      { ...bearer("x"), ...(await createOperatorSessionIn(server, "owner")).headers },
      { cookie: "troupe-operator=x" },
      over.headers,
      ended.headers
    ]
    for (const route of routes)
      for (const headers of refused)
        assert.strictEqual(
          (await send(route, headers)).status,
          401,
          `${route.method} ${route.path} ${JSON.stringify(headers)}`
        )
  })

  it.each(OPERATOR_ROLES)("requires its role, of tokens and sessions alike: %s", async (role) => {
    for (const route of routes) {
      const name = `${route.method} ${route.path}`
      const session = await createOperatorSessionIn(server, role)
      const token = await createOperatorIn(server, role)
      const told = [
        await send(route, { ...session.headers, "x-csrf-token": session.csrf }),
        await send(route, bearer(token.key))
      ]
      for (const one of told)
        if (includesRole(role, route.role)) assert.isFalse(isRefusal(one), `${name} ${JSON.stringify(one)}`)
        else if (route.path.startsWith("/console")) assert.strictEqual(one.status, 403, name)
        else assert.deepStrictEqual(one, { status: 403, code: "operator_role_too_low" }, name)
    }
  })

  it("is open to ADMIN_TOKEN, as the owner", async () => {
    for (const route of routes)
      assert.isFalse(isRefusal(await send(route, bearer(ADMIN_TOKEN))), `${route.method} ${route.path}`)
  })

  it("refuses an unsafe request with a cookie that a page of the console did not send", async () => {
    const unsafe = routes.filter(({ method }) => method !== "GET")
    for (const route of unsafe) {
      const session = await createOperatorSessionIn(server, "owner")
      const other = await createOperatorSessionIn(server, "owner")
      const right = { ...session.headers, "x-csrf-token": session.csrf }
      for (const headers of [
        session.headers,
        { ...session.headers, "x-csrf-token": "" },
        { ...session.headers, "x-csrf-token": other.csrf },
        { ...right, origin: "https://evil.example" },
        { ...right, origin: "null" },
        { ...right, "sec-fetch-site": "cross-site" },
        { ...right, "sec-fetch-site": "same-site" }
      ]) {
        const { status, code } = await send(route, headers)
        const name = `${route.method} ${route.path} ${JSON.stringify(headers)}`
        assert.strictEqual(status, 403, name)
        if (!route.path.startsWith("/console")) assert.strictEqual(code, "csrf_failed", name)
      }
      const own = { ...right, origin: server.baseUrl, "sec-fetch-site": "same-origin" }
      assert.isFalse(isRefusal(await send(route, own)), `${route.method} ${route.path}`)
    }
  })
})

describe("the credentials of operators", () => {
  it("open no route under /v1", async () => {
    const token = await createOperatorIn(server, "owner")
    const session = await createOperatorSessionIn(server, "owner")
    for (const path of ["/v1/me", "/v1/account", "/v1/characters"]) {
      for (const secret of [ADMIN_TOKEN, token.key])
        assert.include([401, 403], (await new TestApp(server.baseUrl, "", secret).get(path)).status, path)
      assert.strictEqual((await session.request("GET", path)).status, 401, path)
    }
  })
})
