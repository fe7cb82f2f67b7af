import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { Browser, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { hasBrowser, openPage, startBrowser } from "#test/support/browser/Browser.ts"
import { freePort } from "#test/support/freePort.ts"
import { example } from "#test/support/sources/docs.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const SCRIPT = example("browser")

/** The page of an app, on an origin of its own, and the app's backend, which has the key. */
const startSite = async (
  port: number,
  { baseUrl, session, tokens }: { baseUrl: string; session: string; tokens: () => Promise<string> }
): Promise<Server> => {
  const html = `<!doctype html><title>Chat</title><ol id="events"></ol><script type="module">
    const TROUPE_URL = ${JSON.stringify(baseUrl)}
    const SESSION_ID = ${JSON.stringify(session)}
    const show = ({ cursor, type }) => {
      const item = document.createElement("li")
      item.textContent = cursor + " " + type
      document.getElementById("events").append(item)
    }
    ${SCRIPT}
  </script>`
  const site = createServer(async (request, response) => {
    if (request.url === "/stream-token" && request.method === "POST") {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ token: await tokens() }))
    } else response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(html)
  }).listen(port, "127.0.0.1")
  await once(site, "listening")
  return site
}

describe.skipIf(!hasBrowser)("a page of another origin in a browser", () => {
  let server: TestServer
  let app: TestApp
  let browser: Browser
  let port: number
  const sites: Array<Server> = []
  beforeAll(async () => {
    port = await freePort()
    server = await startTestServer({ env: { CORS_ORIGINS: `http://127.0.0.1:${port}` } })
    app = await server.createApp()
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser.close()
    for (const site of sites) site.close().closeAllConnections()
    await server.close()
  })

  /** A page with the script of the docs. `seconds`: how long its tokens are valid. */
  const openChat = async (session: string, seconds: number, at = port) => {
    let created = 0
    const site = await startSite(at, {
      baseUrl: server.baseUrl,
      session,
      tokens: async () => {
        created++
        return (await app.post(`/v1/sessions/${session}/stream-token`, { expires_in: seconds })).body.data.token
      }
    })
    sites.push(site)
    const page = await openPage(browser)
    const streams: Array<{ readonly status: number; readonly lastEventId: string | undefined }> = []
    page.on("response", async (response) => {
      if (!response.url().includes("/events/stream")) return
      streams.push({
        status: response.status(),
        lastEventId: (await response.request().allHeaders())["last-event-id"]
      })
    })
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
    return { page, site, streams, created: () => created }
  }
  const shown = (page: Page) => page.locator("#events li").allTextContents()
  const logged = async (session: string) => (await app.events(session)).map(({ cursor, type }) => `${cursor} ${type}`)
  const showsAll = (page: Page, session: string) =>
    until("all events on the page", async () => {
      const all = await logged(session)
      return JSON.stringify(await shown(page)) === JSON.stringify(all) && all
    })

  it("shows the events of its session live, with the script of the docs and a stream token", async () => {
    const session = await app.createSession()
    const { page, site } = await openChat(session, 900)
    for (const text of ["What is for dinner?", "And tomorrow?"]) {
      await app.converse(session, text)
      await showsAll(page, session)
    }
    assert.isAbove((await shown(page)).length, 4)
    await page.context().close()
    await new Promise((closed) => site.close(closed).closeAllConnections())
  })

  it("gets a new token when one has expired, and shows each event once", async () => {
    const session = await app.createSession()
    const { page, site, streams, created } = await openChat(session, 2)
    await app.converse(session, "What is for dinner?")
    await showsAll(page, session)
    // The browser comes back with the old token, is refused, and does not ask again by itself.
    await until("a refusal", () => streams.some(({ status }) => status === 401))
    await until("another token", () => created() > 1)
    await app.converse(session, "And tomorrow?")
    await showsAll(page, session)
    const refused = streams.filter(({ status }) => status === 401)
    assert.isAtMost(refused.length, created())
    assert.match(refused[0]?.lastEventId ?? "", /^\d+$/)
    await page.context().close()
    await new Promise((closed) => site.close(closed).closeAllConnections())
  })

  it("may read nothing if its origin is not allowed", async () => {
    const session = await app.createSession()
    await app.converse(session, "What is for dinner?")
    const { page, created } = await openChat(session, 900, 0)
    await until("attempts with several tokens", () => created() > 1)
    assert.deepStrictEqual(await shown(page), [])
    await page.context().close()
  })
})
