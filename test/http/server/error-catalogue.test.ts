import { readdirSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { catalogue, type CatalogueEntry } from "#src/http/server/catalogue.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
let anybody: TestApp
beforeAll(async () => {
  server = await startTestServer()
  anybody = new TestApp(server.baseUrl, "", "")
})
afterAll(() => server.close())

const HTTP = resolve(import.meta.dirname, "../../../src/http")
const lineOf = ({ status, code, message, fix, retryable }: CatalogueEntry) =>
  `- ${status} \`${code}\` (${retryable ? "retry" : "no retry"}): ${message} ${fix}`
const coded = catalogue.filter(({ code }) => code !== null)

describe("the catalogue of errors", () => {
  it("lists each code once, with what to do about it", () => {
    const byCode = Map.groupBy(coded, ({ code }) => code)
    assert.deepStrictEqual(
      [...byCode].filter(([, entries]) => entries.length > 1),
      []
    )
    for (const { code, message, fix } of coded) {
      assert.match(code ?? "", /^[a-z][a-z0-9_]+$/)
      for (const text of [message, fix]) assert.match(text, /^[A-Z].*\.$/s, String(code))
    }
  })

  it("is the only place where errors are defined", () => {
    const sources = readdirSync(HTTP, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => ({ name, source: readFileSync(resolve(HTTP, name), "utf8") }))
    const thoseWith = (text: string) => sources.filter(({ source }) => source.includes(text)).map(({ name }) => name)
    assert.sameMembers(thoseWith("new ApiError("), ["server/ApiError.ts", "server/catalogue.ts"])
    const makers = [...thoseWith("defineError("), ...thoseWith("definePlainError(")]
    assert.deepStrictEqual(
      makers.filter((name) => !/^(?:server\/errors|[a-z]+\/[a-zA-Z]+Errors|server\/catalogue)\.ts$/.test(name)),
      []
    )
    const defined = sources.flatMap(({ source }) => Array.from(source.matchAll(/\bdefineError\(\s*\d+,\s*"(\w+)"/g)))
    for (const [, code] of defined)
      assert.isTrue(
        coded.some((entry) => entry.code === code),
        `${code} is made where it is thrown: make it where it is defined, and say what is particular with saying()`
      )
    assert.lengthOf(defined, coded.length)
  })

  it("marks errors as retryable as the contract does (7.3)", () => {
    for (const { status, code, retryable } of catalogue) {
      const passing =
        [408, 429, 500, 502].includes(status) || (status === 503 && code === null) || code === "authorization_pending"
      assert.strictEqual(retryable, passing, `${status} ${code}`)
    }
  })

  it("matches the OpenAPI document", async () => {
    const { body } = await anybody.get("/openapi.json")
    assert.sameMembers(
      body.components.schemas.ErrorCode.enum,
      coded.map(({ code }) => code)
    )
    const conflicts = body.paths["/v1/account/apps"].post.responses[409].description
    assert.include(conflicts, "app_limit_reached")
  })

  it("matches the page that the OpenAPI document links to", async () => {
    const { body } = await anybody.get("/openapi.json")
    const [, link = ""] = /\[Error codes\]\((.*?)\)/.exec(body.info.description) ?? []
    assert.strictEqual((await fetch(server.baseUrl + link)).status, 200)
    const text = await (await fetch(`${server.baseUrl}${link}.md`)).text()
    for (const entry of coded) assert.include(text, lineOf(entry))
  })

  it("matches llms.txt", async () => {
    const { body } = await anybody.get("/v1/llms.txt")
    for (const entry of coded) assert.include(body, lineOf(entry))
  })
})
