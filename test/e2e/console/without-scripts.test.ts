import type { Browser, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { hasBrowser, openPage, startBrowser } from "#test/support/browser/Browser.ts"
import { type Receiver, startReceiver } from "#test/support/Receiver.ts"
import { startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { until } from "#test/support/until.ts"

const ADMIN_TOKEN = "the-operator-without-scripts"

let harness: TelegramHarness
let receiver: Receiver
let broken = true
let browser: Browser
let page: Page
let character: string
beforeAll(async () => {
  receiver = await startReceiver((response) => response.writeHead(broken ? 400 : 200).end())
  harness = await startTelegramHarness({ env: { ADMIN_TOKEN, OUTBOUND_ALLOW: "127.0.0.1" } })
  browser = await startBrowser()
  page = await openPage(browser, { baseURL: harness.server.baseUrl, javaScriptEnabled: false })
  await page.goto("/console")
  await page.getByLabel("ADMIN_TOKEN").fill(ADMIN_TOKEN)
  await page.getByRole("button", { name: "Sign in" }).click()
  // A click does not wait for the page that it leads to.
  await page.locator("nav").first().waitFor()
  character = await harness.app.createCharacter({ greeting: "Come in." })
})
afterAll(async () => {
  await browser.close()
  await harness.close()
  await receiver.close()
})

describe.skipIf(!hasBrowser)("with scripts switched off, the console", () => {
  it("filters every list, and keeps the filter in its URL", async () => {
    for (const [path, label, value] of [
      ["/console/bots", "App", "app_nobody"],
      ["/console/conversations", "Person", "nobody"],
      ["/console/deliveries", "Error", "http_418"],
      ["/console/webhooks", "App", "app_nobody"],
      ["/console/characters", "Name or slug", "nobody"],
      ["/console/apps", "Name", "Nobody"],
      ["/console/accounts", "Name or email", "nobody@example.com"],
      ["/console/audit", "Action", "nothing.done"]
    ] as const) {
      await page.goto(path)
      await page.getByRole("search").getByLabel(label).fill(value)
      await page.getByRole("button", { name: "Filter" }).click()
      const kept = encodeURIComponent(value).replaceAll("%20", "+")
      await page.waitForURL(({ href }) => href.includes(kept))
      assert.strictEqual(new URL(page.url()).pathname, path)
      assert.strictEqual(await page.locator(".empty").count(), 1, path)
      assert.strictEqual(await page.getByRole("search").getByLabel(label).inputValue(), value)
    }
  })

  it("talks with a character", async () => {
    await page.goto(`/console/characters/${harness.app.appId}/${character}/chat`)
    for (const text of ["What is for dinner?", "And who cooks it?"]) {
      const before = await page.locator(".bubble.theirs:not(.typing)").count()
      await page.getByLabel(/^Message to/).fill(text)
      await page.getByRole("button", { name: "Send" }).click()
      await page.locator(".bubble.ours", { hasText: text }).waitFor()
      await until("the reply", async () => {
        // Followed and not clicked: it goes when the reply has come, and a click would wait for it.
        const [look] = await page
          .getByRole("link", { name: "Check for the reply" })
          .evaluateAll((links) => (links as ReadonlyArray<any>).map(({ href }): string => href))
        if (look !== undefined) await page.goto(look)
        return (await page.locator(".bubble.theirs:not(.typing)").count()) > before
      })
    }
    await page.getByRole("button", { name: "Start over" }).click()
    await page.getByText("A new conversation has started.").waitFor()
    assert.strictEqual(await page.locator(".bubble.ours").count(), 0)
    const refs = await harness.server.database.sql`select distinct external_user_ref from sessions`
    for (const { external_user_ref: ref } of refs) assert.notInclude(ref, "ADMIN_TOKEN")
  })

  it("compares versions of a character", async () => {
    await harness.app.patch(`/v1/characters/${character}`, { visible_bio: "Cooks soup.\nSleeps late." })
    await harness.app.patch(`/v1/characters/${character}`, { visible_bio: "Cooks soup.\nSleeps early." })
    await page.goto(`/console/characters/${harness.app.appId}/${character}`)
    await page.getByRole("link", { name: "What changed in version 3" }).click()
    assert.include(await page.locator("del").innerText(), "Sleeps late.")
    assert.include(await page.locator("ins").innerText(), "Sleeps early.")
    await page.getByLabel("From").selectOption("1")
    await page.getByRole("button", { name: "Compare" }).click()
    await page.getByRole("heading", { name: "From version 1 to 3" }).waitFor()
    assert.strictEqual(await page.locator("del").count(), 0)
  })

  it("retries every delivery that a filter selects, at a rate, as a batch", async () => {
    const { app } = harness
    const session = await app.createSession()
    const url = `${receiver.url}/hook`
    await app.post(`/v1/sessions/${session}/channels`, { kind: "webhook", url, retry_schedule: [1] })
    await app.converse(session, "Hello?")
    const { length } = await app.events(session)
    await until("every delivery to fail", async () => {
      // Each is retried once.
      const failed = await harness.server.database.sql`
        select 1 from delivery_attempts where session_id = ${session} group by event_id having count(*) >= 2`
      return failed.length === length
    })
    await page.goto("/console/deliveries")
    await until("failed deliveries", async () => {
      await page.reload()
      return (await page.getByRole("link", { name: "Retry all that match…" }).count()) > 0
    })
    broken = false
    await page.getByRole("link", { name: "Retry all that match…" }).click()
    await page.getByLabel("How fast").selectOption("6000")
    await page.getByLabel("Reason").fill("The endpoint is repaired")
    await page.getByRole("button", { name: /^Retry \d+ deliver/ }).click()
    await page.getByRole("heading", { level: 1, name: "Retry deliveries" }).waitFor()
    await until("the batch to finish", async () => {
      await page.reload()
      return (await page.getByText("Finished.").count()) > 0
    })
    const [entry] = await harness.server.database.sql`
      select detail from audit_log where action = 'deliveries.batch_started'`
    assert.deepInclude(entry?.["detail"], { reason: "The endpoint is repaired", per_minute: 6000 })
  })

  it("holds and releases all bots", async () => {
    await page.goto("/console/system/hold")
    await page.getByLabel("Reason").fill("Spam wave")
    await page.getByRole("button", { name: "Stop all bots" }).click()
    await page.getByText("All bots are stopped.").waitFor()
    await page
      .getByRole("button", { name: /release/i })
      .first()
      .click()
    await page.getByText("The hold is released.").waitFor()
    const entries = await harness.server.database.sql`
      select action, detail from audit_log where action like 'telegram.%' order by entry_id`
    assert.deepStrictEqual(
      entries.map(({ action, detail }) => [action, detail.before, detail.after]),
      [
        ["telegram.held", { suspended: false, reason: null }, { suspended: true, reason: "Spam wave" }],
        ["telegram.released", { suspended: true, reason: "Spam wave" }, { suspended: false, reason: null }]
      ]
    )
  })

  it("creates and revokes an operator token, which is shown once", async () => {
    await page.goto("/console/operators")
    await page.getByLabel("Name").fill("Status board")
    await page.getByLabel("Days until it expires").fill("7")
    await page.getByRole("button", { name: "Create the token" }).click()
    const token = await page.getByLabel("The token").innerText()
    assert.match(token, /^op_[0-9A-Za-z]{46}$/)
    const me = () => fetch(`${harness.server.baseUrl}/admin/me`, { headers: { authorization: `Bearer ${token}` } })
    assert.deepInclude(((await (await me()).json()) as any).data, { name: "Status board", role: "viewer" })
    await page.getByRole("link", { name: "I have copied it" }).click()
    const revoke = page.getByRole("button", { name: `Revoke ${token.slice(0, 11)}…` })
    await revoke.waitFor()
    assert.notInclude(await page.content(), token)
    await revoke.click()
    await page.getByText("The token Status board is revoked.").waitFor()
    assert.strictEqual((await me()).status, 401)
  })

  it("shows an account with its apps", async () => {
    await page.goto("/console/accounts")
    await page.getByRole("link", { name: "Operator of this server" }).click()
    await page.getByRole("link", { name: "test" }).first().waitFor()
    assert.strictEqual(await page.getByText("No tool is connected to this account.").count(), 1)
  })

  it("ends its own session, and asks to sign in again", async () => {
    await page.goto("/console/operators")
    await page.getByRole("button", { name: /^End os_/ }).click()
    await page.getByLabel("ADMIN_TOKEN").waitFor()
    await page.goto("/console/bots")
    assert.strictEqual(await page.getByLabel("ADMIN_TOKEN").count(), 1)
  })
})
