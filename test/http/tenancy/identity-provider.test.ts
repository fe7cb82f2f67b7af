import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import type { Browser, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { parseAllowList } from "#channels/outbound/AllowList.ts"
import { guardedFetch } from "#channels/outbound/guardedFetch.ts"
import { type DevelopmentIssuer, makeDevelopmentIssuer } from "#src/accounts/developmentIssuer.ts"
import { hasBrowser, openPage, startBrowser } from "#test/support/Browser.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

const listen = async (server: Server): Promise<string> => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** An external OpenID Connect issuer, where Ada is signed in and is not asked again. */
const startIssuer = async (): Promise<{
  readonly url: string
  readonly know: (redirectUri: string) => Promise<void>
  readonly close: () => void
}> => {
  let issuer: DevelopmentIssuer | null = null
  const server = createServer(async (request, response) => {
    const { url = "" } = request
    if (issuer === null) return response.writeHead(503).end()
    if (!url.startsWith("/dev-issuer/interaction/"))
      return issuer.handle(Object.assign(request, { originalUrl: url, url: url.slice("/dev-issuer".length) }), response)
    return response.writeHead(303, { location: await issuer.signIn(request, response, "Ada") }).end()
  })
  const url = `${await listen(server)}/dev-issuer`
  return {
    url,
    know: async (redirectUri) => {
      issuer = await makeDevelopmentIssuer({
        issuer: url,
        clientId: "troupe",
        clientSecret: "a secret of the issuer's",
        redirectUri
      })
    },
    close: () => server.close()
  }
}

describe.skipIf(!hasBrowser)("an OpenID Connect issuer in production", () => {
  let issuer: Awaited<ReturnType<typeof startIssuer>>
  let server: TestServer
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    issuer = await startIssuer()
    server = await startTestServer({
      env: {
        NODE_ENV: "production",
        OIDC_ISSUER: issuer.url,
        OIDC_CLIENT_ID: "troupe",
        OIDC_CLIENT_SECRET: "a secret of the issuer's"
      }
    })
    browser = await startBrowser()
    page = await openPage(browser)
  })
  afterAll(async () => {
    await browser.close()
    await server.close()
    issuer.close()
  })

  const enter = async () => {
    const { device_code, verification_uri_complete } = (
      await new TestApp(server.baseUrl, "", "").post("/v1/account/device/start", undefined)
    ).body.data
    await page.goto(verification_uri_complete)
    await page.getByRole("button", { name: "Continue" }).click()
    return device_code
  }

  it("that cannot be reached is reported, and is contacted again for the next sign-in", async () => {
    await enter()
    await page.getByRole("link", { name: "Sign in" }).click()
    assert.include(await page.locator("main").innerText(), "cannot be reached")
  })

  it("signs people in, and its issuer and subject identify them again", async () => {
    await issuer.know(`${server.baseUrl}/device/callback`)
    for (let n = 0; n < 2; n++) {
      const device_code = await enter()
      await page.getByRole("link", { name: "Sign in" }).click()
      assert.include(await page.locator("main").innerText(), "signed in as ada")
      await page.getByRole("button", { name: "Approve" }).click()
      const { body } = await new TestApp(server.baseUrl, "", "").post("/v1/account/device/token", { device_code })
      assert.strictEqual(
        (await new TestApp(server.baseUrl, "", body.data.access_token).get("/v1/account")).body.data.name,
        "ada"
      )
    }
    const accounts = await server.database.sql`select issuer, subject from accounts where kind = 'person'`
    assert.deepStrictEqual(
      accounts.map(({ issuer, subject }) => [issuer, subject]),
      [[issuer.url, Buffer.from("ada").toString("base64url")]]
    )
  })

  it("rejects a response that was not meant for this browser", async () => {
    await enter()
    for (const query of ["code=x&state=y", "error=access_denied", "", `code=x&iss=${encodeURIComponent(issuer.url)}`]) {
      await page.goto(`${server.baseUrl}/device/callback?${query}`)
      assert.include(await page.locator("main").innerText(), "You were not signed in", query)
    }
    assert.deepStrictEqual(
      (await server.database.sql`select account_id from device_sign_ins`).filter((row) => row["account_id"] !== null),
      []
    )
  })
})

describe("a guarded fetch", () => {
  const asked: Array<string> = []
  const answering = () =>
    createServer((request, response) => {
      asked.push(`${request.headers.host}${request.url}`)
      if (request.url === "/away") response.writeHead(302, { location: "/here" }).end()
      else if (request.url === "/long") response.writeHead(200).end(Buffer.alloc(2 * 1024 * 1024))
      else response.writeHead(200).end("fine")
    })
  const [named, other] = [answering(), answering()]
  let namedUrl: string
  let otherUrl: string
  beforeAll(async () => {
    ;[namedUrl, otherUrl] = [await listen(named), await listen(other)]
  })
  afterAll(() => {
    named.close()
    other.close()
  })
  const run = <A>(use: (fetch: (url: string, init?: RequestInit) => Promise<Response>) => Promise<A>) => {
    const read = parseAllowList(new URL(namedUrl).host)
    return Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(guardedFetch("allow" in read ? read.allow : []), (fetch) => Effect.promise(() => use(fetch)))
      )
    )
  }

  it("reaches the configured host, and not what that host refers to", async () => {
    await run(async (fetch) => {
      assert.strictEqual(await (await fetch(`${namedUrl}/here`)).text(), "fine")
      for (const url of [
        otherUrl,
        otherUrl.replace("127.0.0.1", "localhost"),
        "http://169.254.169.254/latest/meta-data",
        "http://[::1]:1/"
      ]) {
        assert.isTrue(
          await fetch(url).then(
            () => false,
            () => true
          ),
          url
        )
      }
    })
    assert.deepStrictEqual(
      asked.filter((host) => otherUrl.includes(host.split("/")[0] ?? "")),
      []
    )
  })

  it("follows no redirect, and reads no endless answer", async () => {
    await run(async (fetch) => {
      assert.strictEqual((await fetch(`${namedUrl}/away`)).status, 302)
      assert.isTrue(
        await fetch(`${namedUrl}/long`)
          .then((response) => response.text())
          .then(
            () => false,
            () => true
          )
      )
    })
  })
})
