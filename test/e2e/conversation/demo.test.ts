import { readdir } from "node:fs/promises"
import { tmpdir } from "node:os"
import { resolve } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { demoCharacters } from "#src/demo/characters.ts"
import { hasBrowser, openPage, startBrowser } from "#test/support/browser/Browser.ts"
import { example } from "#test/support/sources/docs.ts"
import { processesOn } from "#test/support/postgres/embedded.ts"
import { type Started, startProgram } from "#test/support/startUp.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { until } from "#test/support/until.ts"

const COMMAND = example("demo")

const folders = async () => (await readdir(tmpdir())).filter((name) => name.startsWith("troupe-demo-"))
const startDemo = (env: Record<string, string> = {}) =>
  startProgram(["bash", "-c", COMMAND], { PHONE_PORT: "0", ...env })
const keyOf = (demo: Started) => /Key {4}(ck_\w+)/.exec(demo.stdout())?.[1] ?? assert.fail(demo.stdout())
const phoneOf = (demo: Started) => /Phone {2}(http\S+)/.exec(demo.stdout())?.[1] ?? assert.fail(demo.stdout())

describe("npm run demo", () => {
  let before: ReadonlyArray<string>
  let demo: Started
  let phone: string
  let app: TestApp
  beforeAll(async () => {
    before = await folders()
    demo = startDemo()
    app = new TestApp(await demo.ready(), "", keyOf(demo))
    phone = phoneOf(demo)
  })
  afterAll(() => {
    if (demo.child.exitCode === null) process.kill(-(demo.child.pid ?? 0), "SIGKILL")
  })

  describe.skipIf(!hasBrowser)("on the phone", () => {
    let browser: Browser
    let page: Page
    const errors: Array<string> = []
    beforeAll(async () => {
      browser = await startBrowser()
      page = await openPage(browser)
      page.on("pageerror", ({ message }) => errors.push(message))
      await page.goto(phone)
    })
    afterAll(async () => {
      await browser.close()
      assert.deepStrictEqual(errors, [])
    })

    const log = () => page.getByRole("log")
    const said = async (): Promise<ReadonlyArray<string>> =>
      log().locator(".message.theirs[data-id] .text").allInnerTexts()
    const write = async (text: string) => {
      await page.getByLabel("Message", { exact: true }).fill(text)
      await page.keyboard.press("Enter")
    }

    it("shows the characters to a new user, each in a separate chat", async () => {
      await page.getByText("Not started yet").last().waitFor()
      for (const { display_name } of demoCharacters)
        assert.strictEqual(await page.getByRole("button", { name: new RegExp(display_name) }).count(), 1)
    })

    it("greets a person who presses Start, shows typing, and answers bubble by bubble", async () => {
      await page.getByRole("button", { name: /Edda Brandvik/ }).click()
      await page.getByRole("button", { name: "Start" }).click()
      await until("the greeting", async () => (await said()).length === 2)
      assert.deepStrictEqual({ mode: "authored", bubbles: await said() }, demoCharacters[0]?.["greeting"])
      // The offline engine may answer before the typing indicator is visible.
      assert.strictEqual(
        (await app.patch("/v1/characters/edda-brandvik", { life_rhythm: { reply_delay_seconds: { min: 5, max: 5 } } }))
          .status,
        200
      )
      await write("Hello! Who are you, and what is it like up there?")
      await page.getByText("typing…").first().waitFor()
      await until("the answer", async () => (await said()).length > 2)
      await until("the end of the typing", async () => (await page.getByText("typing…").count()) === 0)
      assert.notMatch((await said()).join(), /\{\{/)
    })

    it("shows nothing from a blocked bot, and continues when it is unblocked", async () => {
      const count = (await said()).length
      await page.getByRole("button", { name: "More" }).click()
      await page.getByRole("button", { name: "Block bot" }).click()
      await page.getByRole("button", { name: "Restart" }).click()
      await page.getByLabel("Message", { exact: true }).waitFor()
      await write("I am back. Tell me about the birds.")
      const answers = await until("its answer", async () => {
        const now = await said()
        return now.length > count + 1 && now.slice(count)
      })
      assert.match(answers[0] ?? "", /already talking/)
    })
  })

  it("prints a link that signs in to the console", async () => {
    const link = /http:\S+\/console\?code=oc_\w+/.exec(demo.stdout())?.[0] ?? assert.fail(demo.stdout())
    assert.strictEqual((await fetch(link)).status, 200)
  })

  it("ends on Ctrl-C with everything that it started, and leaves nothing behind", async () => {
    const made = (await folders()).filter((name) => !before.includes(name))
    assert.lengthOf(made, 1)
    process.kill(-(demo.child.pid ?? 0), "SIGINT")
    assert.strictEqual(await demo.exit, 0, demo.stderr())
    assert.notIncludeMembers(await folders(), made)
    assert.deepStrictEqual(processesOn(resolve(tmpdir(), made[0] ?? "")), [])
    const gone = await fetch(phone).then(
      () => false,
      () => true
    )
    assert.isTrue(gone)
  })

  it("does not run in production", async () => {
    const refused = startDemo({ NODE_ENV: "production" })
    assert.strictEqual(await refused.exit, 1)
    assert.match(refused.stderr(), /^troupe: the fake Telegram does not run in production$/m)
    assert.strictEqual(refused.stdout().includes("ready"), false)
  })
})
