import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Cost, readerOf, senderOf, windowsOf } from "#src/http/server/limits/Cost.ts"
import { describeCost } from "#src/http/server/reference/describeCost.ts"
import { inlineRefs } from "#test/support/sources/inlineRefs.ts"
import { operationsIn } from "#test/support/sources/operationsIn.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

interface Operation {
  readonly "x-cost"?: Cost
  readonly "x-internal"?: boolean
  readonly description?: string
  readonly responses: Readonly<Record<string, { readonly "x-statuses"?: ReadonlyArray<number> }>>
  readonly security?: ReadonlyArray<object>
}

let server: TestServer
let operations: ReadonlyArray<readonly [name: string, operation: Operation]>

beforeAll(async () => {
  server = await startTestServer()
  const served = await (await fetch(`${server.baseUrl}/openapi.json`)).json()
  operations = operationsIn(inlineRefs(served, served)).map(
    ({ path, method, operation }) => [`${method.toUpperCase()} ${path}`, operation] as const
  )
})
afterAll(() => server.close())

const costOf = ([, operation]: readonly [string, Operation]): Cost => operation["x-cost"] ?? {}

describe("the cost of a route", () => {
  it("is described in the OpenAPI document", () => {
    for (const [name, operation] of operations) {
      const text = describeCost(operation["x-cost"] ?? {})
      if (text !== "") assert.include(operation.description, text, name)
    }
    const costs = operations.filter((operation) => Object.keys(costOf(operation)).length > 0)
    assert.isAbove(costs.length, 12)
  })

  it("has a 402 exactly where something is paid for", () => {
    assert.deepStrictEqual(
      operations.filter(([, { responses }]) => "402" in responses).map(([name]) => name),
      operations.filter((operation) => costOf(operation).pays !== undefined).map(([name]) => name)
    )
  })

  it("has a 429 wherever requests are counted", () => {
    const withoutLimit = operations.filter(([, { responses, ...rest }]) => {
      const isCounted = rest["x-internal"] !== true && rest["x-cost"]?.requests !== 0
      const isListed = "429" in responses || responses["default"]?.["x-statuses"]?.includes(429) === true
      return isCounted !== isListed
    })
    assert.deepStrictEqual(
      withoutLimit.map(([name]) => name),
      []
    )
  })

  it("is listed in docs/build/limits.md if it is more than a request", () => {
    const text = readFileSync(resolve(import.meta.dirname, "../../../docs/build/limits.md"), "utf8")
    const [, section = ""] = text.split("## Routes that cost more than a request\n")
    const listed = [...(section.split("\n## ")[0] ?? "").matchAll(/^\| `([A-Z]+ [^`]+)`/gm)].map(([, name]) => name)
    const costly = operations.filter((operation) => {
      const { requests: _, ...cost } = costOf(operation)
      return operation[1]["x-internal"] !== true && Object.keys(cost).length > 0
    })
    assert.sameMembers(
      listed,
      costly.map(([name]) => name)
    )
  })

  it("is reported for the messages of a send, and only for requests elsewhere", async () => {
    const app = await server.createApp()
    const session = await app.createSession()
    const headersOf = async (method: string, path: string, body?: object) =>
      (
        await fetch(`${server.baseUrl}${path}`, {
          method,
          headers: { authorization: `Bearer ${app.key}`, "content-type": "application/json" },
          ...(body && { body: JSON.stringify(body) })
        })
      ).headers.get("ratelimit-policy")
    assert.match((await headersOf("POST", `/v1/sessions/${session}/messages`, { text: "Hello" })) ?? "", /"messages"/)
    assert.notMatch((await headersOf("GET", `/v1/sessions/${session}`)) ?? "", /"messages"/)
  })

  it("cannot be counted by a route that does not declare it", () => {
    const request = { ip: "203.0.113.1", headers: {}, routeOptions: { url: "/v1/x", config: {} } } as never
    for (const count of [senderOf, readerOf, windowsOf]) assert.throws(() => count(request), /\/v1\/x does not declare/)
  })
})
