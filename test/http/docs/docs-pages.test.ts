import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { pages as files, ROOT } from "#test/support/sources/docs.ts"
import { isHidden, operationsIn } from "#test/support/sources/operationsIn.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env: { PUBLIC_REQUESTS_PER_MINUTE: "1000000" } })
  // The reference is made of the OpenAPI document, which takes long where other tests run.
  assert.strictEqual((await fetch(`${server.baseUrl}/docs/search.json`)).status, 200)
})
afterAll(() => server.close())

const get = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(server.baseUrl + path, { headers })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** The anchors of a page, in its HTML. */
const idsOf = (html: string) => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id))
const linksOf = (html: string) =>
  [...html.matchAll(/ href="([^"]+)"/g)].map(([, link = ""]) => link).filter((link) => !/^(?:https?:|data:)/.test(link))

/** Every page that can be reached from the first one. */
const crawl = async () => {
  const read = new Map<string, string>()
  const waiting = ["/docs/"]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (read.has(path)) continue
    const { status, headers, text } = await get(path)
    assert.strictEqual(status, 200, path)
    const isPage = headers.get("content-type")?.startsWith("text/html") === true
    read.set(path, text)
    if (isPage) waiting.push(...linksOf(text).map((link) => new URL(link, `http://a${path}`).pathname))
  }
  return read
}

describe("the docs on the server", () => {
  it("contain every page of the repository and the reference, and no link or anchor is dead", async () => {
    const read = await crawl()
    for (const { path } of files.filter(({ path }) => path.startsWith("docs/") && path !== "docs/README.md"))
      assert.isTrue(read.has(`/${path.replace(/\.md$/, "")}`), path)
    assert.isTrue(read.has("/docs/quickstart") && read.has("/docs/reference/messages"))
    for (const [path, text] of read) {
      if (!text.startsWith("<!doctype html>") || path.startsWith("/docs/explorer")) continue
      for (const link of linksOf(text)) {
        const { pathname, hash } = new URL(link, `http://a${path}`)
        const target = read.get(pathname) ?? ""
        if (hash !== "") assert.isTrue(idsOf(target).has(decodeURIComponent(hash.slice(1))), `${path} -> ${link}`)
      }
    }
  })

  it("are Markdown under .md, with links that work on the server", async () => {
    const { headers, text } = await get("/docs/build/first-conversation.md")
    assert.strictEqual(headers.get("content-type"), "text/markdown; charset=utf-8")
    assert.match(text, /^# The first conversation\n/)
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link)
    assert.isAbove(links.length, 3)
    for (const link of links) assert.strictEqual((await get(link.replace(/#.*/, ""))).status, 200, link)
    assert.include((await get("/docs/reference/messages.md")).text, "`POST /v1/sessions/{session_id}/messages`")
    assert.match((await get("/docs/index.md")).text, /^# Documentation\n/)
  })

  it("describe every runtime route in the reference, and no account or operator route", async () => {
    const document = JSON.parse((await get("/openapi.json")).text)
    const shown = new Set<string>()
    for (const tag of document.tags.filter((tag: Record<string, unknown>) => tag["x-scalar-ignore"] !== true)) {
      const { text } = await get(`/docs/reference/${tag.name.toLowerCase().replaceAll(" ", "-")}.md`)
      for (const [, route = ""] of text.matchAll(/^`([A-Z]+ \/\S*)`$/gm)) shown.add(route)
    }
    const described = operationsIn(document)
      .filter(({ operation }) => !isHidden(operation, document))
      .map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    assert.sameMembers([...shown], described)
    assert.isFalse([...shown].some((route) => / \/(?:v1\/account|admin|console)\b/.test(route)))
    const { text } = await get("/docs/reference/messages")
    for (const part of ["idempotency-key", "reply_mode", "sent_turn_index"]) assert.include(text, part)
  })

  it("run no script and load no style but the server's own files, and may not be framed", async () => {
    for (const path of ["/docs/", "/docs/build/webhooks", "/docs/reference/sessions"]) {
      const { headers, text } = await get(path)
      const policy = headers.get("content-security-policy") ?? ""
      assert.notInclude(policy, "unsafe")
      for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"])
        assert.include(policy, part)
      assert.notMatch(text, /<script>|<style|\son\w+="|\sstyle="|javascript:/i, path)
    }
  })

  it("keep assets forever, and say with a page that there is nothing at an address", async () => {
    const { text } = await get("/docs/")
    const assets = [...text.matchAll(/\/docs\/assets\/[\w.-]+/g)].map(([path]) => path)
    assert.isAtLeast(assets.length, 3)
    for (const path of assets) {
      const { status, headers } = await get(path)
      assert.deepStrictEqual([status, headers.get("cache-control")], [200, "public, max-age=31536000"])
    }
    const page = await get("/docs/build/nothing", { accept: "text/html" })
    assert.deepStrictEqual([page.status, page.headers.get("content-type")], [404, "text/html; charset=utf-8"])
    assert.include(page.text, "Page not found")
    const json = await get("/docs/build/nothing.md")
    assert.deepStrictEqual([json.status, JSON.parse(json.text).detail.code], [404, "route_not_found"])
    for (const path of ["/docs/..%2f..%2fpackage.json", "/docs/missing", "/docs/build/%00", "/docs/constructor"])
      assert.strictEqual((await get(path)).status, 404, path)
  })

  it("are linked from llms.txt, and are one file in llms-full.txt", async () => {
    const { text } = await get("/llms.txt")
    assert.strictEqual(text, (await get("/v1/llms.txt")).text)
    const links = [...text.matchAll(/\]\((http[^)\s]+\.md)\)/g)].map(([, link = ""]) => link)
    assert.isAbove(links.length, 40)
    for (const link of links) assert.strictEqual((await fetch(link)).status, 200, link)
    const full = (await get("/llms-full.txt")).text
    assert.include(full, "# The first conversation\n")
    assert.include(full, "# Runbook\n")
    assert.notInclude(full, "# Add a route\n")
  })

  it("reach the container image", () => {
    const copied = new Set(readFileSync(join(ROOT, ".dockerignore"), "utf8").split("\n"))
    for (const path of ["!docs", "!README.md", "!CHANGELOG.md", "!CONTRIBUTING.md"])
      assert.isTrue(copied.has(path), path)
  })
})
