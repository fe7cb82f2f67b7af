import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createOperatorSessionIn, type TestSession } from "#test/support/accounts/createOperatorIn.ts"
import { operationsIn } from "#test/support/sources/operationsIn.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

/** The fields of forms and filters whose values reach the database or the next address. */
const FIELDS = ["q", "app", "name", "reason", "character", "slug", "session", "by", "action", "subject", "text", "bots"]
const NUL = new URLSearchParams(Object.fromEntries(FIELDS.map((field) => [field, "a\0b"])))

let server: TestServer
let owner: TestSession
let routes: ReadonlyArray<readonly [method: string, path: string]>
beforeAll(async () => {
  server = await startTestServer()
  owner = await createOperatorSessionIn(server, "owner")
  const document = (await (await fetch(`${server.baseUrl}/openapi.json`)).json()) as { readonly paths: object }
  routes = operationsIn(document)
    .filter(({ path }) => path.startsWith("/console") && !path.includes("sign-"))
    .map(({ path, method }) => [method.toUpperCase(), path] as const)
})
afterAll(() => server.close())

const post = (path: string, fields: URLSearchParams) =>
  owner.request("POST", path, {
    body: new URLSearchParams([["csrf", owner.csrf], ...fields]),
    headers: { origin: server.baseUrl }
  })

describe("an operator's browser", () => {
  it("gets no 500 for U+0000 in any filter or form, on any screen", async () => {
    assert.isAbove(routes.length, 40)
    const statuses = new Set<number>()
    for (const [method, path] of routes) {
      const filled = path.replaceAll(/\{\w+\}/g, "x")
      const answer =
        method === "POST" ? await post(filled, NUL) : await owner.request(method, `${filled}?${NUL.toString()}`)
      assert.isBelow(answer.status, 500, `${method} ${path}`)
      statuses.add(answer.status)
      await answer.body?.cancel()
    }
    assert.include([...statuses], 422)
  })

  it("gets no 500 for U+0000 in the address of any screen or form", async () => {
    const named = routes.filter(([, path]) => path.includes("{"))
    assert.isAbove(named.length, 20)
    const statuses = new Set<number>()
    for (const [method, path] of named) {
      const address = path.replaceAll(/\{\w+\}/g, "%00")
      const answer =
        method === "POST" ? await post(address, new URLSearchParams()) : await owner.request(method, address)
      assert.isBelow(answer.status, 500, `${method} ${path}`)
      statuses.add(answer.status)
      await answer.body?.cancel()
    }
    assert.include([...statuses], 422)
  })

  it("is led back to what it named, whatever characters that has", async () => {
    for (const name of ["\u202e", "a b", "水", "..%2F..%2F%2Fexample.org"]) {
      const encoded = name.includes("%") ? name : encodeURIComponent(name)
      const { status, headers } = await post(`/console/bots/${encoded}/suspend`, new URLSearchParams())
      const location = headers.get("location") ?? ""
      assert.strictEqual(status, 303, name)
      assert.match(location, /^\/console\/bots[!-~]*$/, name)
      assert.strictEqual(new URL(location, server.baseUrl).origin, server.baseUrl)
    }
  })
})
