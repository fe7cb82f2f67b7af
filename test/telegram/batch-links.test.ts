import { decodeQR } from "qr/decode.js"
import { join } from "node:path"
import sharp from "sharp"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type * as z from "zod"
import type { BatchData, BatchItems } from "#src/http/telegram/telegramBatchSchemas.ts"
import { hasBrowser, openPage, startBrowser } from "#test/support/Browser.ts"
import { type FakeTelegram, startFakeTelegram } from "#test/support/telegram/FakeTelegram.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

/** A folder for screenshots of the sheet, for inspection. */
const PICTURES = process.env["PICTURES"]
const HOSTILE = `</h2><img src=x onerror=alert(1)> & "Mara" \u202Eevil`

type Item = z.output<typeof BatchItems>["items"][number]

let telegram: FakeTelegram
let server: TestServer
let app: TestApp
let manager: ReturnType<FakeTelegram["createBot"]>
beforeAll(async () => {
  telegram = await startFakeTelegram({ takesAnyWebhookUrl: true })
  manager = telegram.createBot({ username: "maker_bot", can_manage_bots: true })
  server = await startTestServer({ env: { TELEGRAM_API_ROOT: telegram.url, TELEGRAM_MANAGER_TOKEN: manager.token } })
  app = await server.createApp()
})
afterAll(async () => {
  await server.close()
  await telegram.close()
})

const statusOf = async (id: string): Promise<z.output<typeof BatchData>> =>
  (await app.get(`/v1/telegram/batches/${id}`)).body.data
const itemsOf = async (id: string): Promise<ReadonlyArray<Item>> =>
  (await app.get(`/v1/telegram/batches/${id}/items?limit=100`)).body.data.items
const sheetOf = async (id: string): Promise<string> => (await app.get(`/v1/telegram/batches/${id}/sheet`)).body
/** A batch whose links have been created. */
const batchOf = async (bots: ReadonlyArray<object>, fields: object = {}): Promise<string> => {
  const { status, body } = await app.post("/v1/telegram/batches", { action: "create_managed", bots, ...fields })
  assert.strictEqual(status, 200, JSON.stringify(body))
  await until("the links", async () => (await statusOf(body.data.id)).status === "completed")
  return body.data.id
}
const partsOf = ({ link }: Item) => {
  const [, username = "", name = ""] =
    /^https:\/\/t\.me\/newbot\/maker_bot\/(\w+)\?name=(.*)$/.exec(link?.url ?? "") ?? []
  return { username, name: decodeURIComponent(name), claim: link?.claim_url.split("start=")[1] ?? "" }
}
const becomes = (id: string, place: number, fits: (bot: NonNullable<Item["bot"]>) => boolean) =>
  until(`bot ${place} to be as it should`, async () => {
    const item = (await itemsOf(id))[place - 1]
    return item?.bot != null && fits(item.bot) && item
  })

describe("a batch of managed bots", () => {
  it("has a link for each, by which people create it, and shows the progress of each", async () => {
    const character_slug = await app.createCharacter()
    const id = await batchOf(
      [
        { character_slug, suggested_name: "Mara One", owner_ref: "shop-1" },
        { character_slug, suggested_name: "Mara Two", suggested_username: "mara_of_shop_2_bot" },
        { character_slug }
      ],
      { expires_in_minutes: 120 }
    )
    const items = await itemsOf(id)
    assert.deepStrictEqual(
      items.map(({ bot }) => bot?.status),
      ["awaiting_creation", "awaiting_creation", "awaiting_creation"]
    )
    assert.deepStrictEqual(
      items.map((item) => partsOf(item).name),
      ["Mara One", "", "Mara"]
    )
    // Anybody may choose that name, so the manager first asks whose request it is.
    assert.strictEqual(items[1]?.link?.url, items[1]?.link?.claim_url)
    const endsIn = Date.parse(items[0]?.link?.expires_at ?? "") - Date.now()
    assert.isTrue(endsIn > 110 * 60_000 && endsIn < 121 * 60_000)
    const [olga, olaf] = [telegram.createUser({ first_name: "Olga" }), telegram.createUser({ first_name: "Olaf" })]
    telegram.confirmNewBot(manager, olga, { username: partsOf(items[0] as Item).username, name: "Mara One" })
    // Olaf wants another username, and opens the second link first.
    telegram.start(olaf, manager, partsOf(items[2] as Item).claim)
    await until("the manager's answer", () =>
      telegram.transcript(manager, olaf).some(({ reply_markup }) => reply_markup !== undefined)
    )
    telegram.confirmNewBot(manager, olaf, { username: "olafs_own_bot", name: "Own" })
    const [first, third] = [
      await becomes(id, 1, ({ status }) => status === "active"),
      await becomes(id, 3, ({ status }) => status === "active")
    ]
    assert.deepStrictEqual([first.link, third.link], [null, null])
    assert.strictEqual(third.bot?.username, "olafs_own_bot")
    assert.strictEqual((await itemsOf(id))[1]?.bot?.status, "awaiting_creation")
    assert.deepInclude((await app.get(`/v1/telegram/bots/${first.bot_id}`)).body.data, {
      status: "active",
      mode: "managed",
      owner_ref: "shop-1",
      character_slug
    })
    assert.lengthOf(
      await server.database.sql`
          select 1 from telegram_provisionings p join telegram_batch_items i using (app_id, channel_id)
          where i.batch_id = ${id} and p.claim_code is not null`,
      1
    )
  })

  it("stores no claim code in plain text", async () => {
    const [item] = await itemsOf(await batchOf([{ character_slug: await app.createCharacter() }]))
    const { claim } = partsOf(item as Item)
    assert.match(claim, /^[\w-]{32}$/)
    const rows = await server.database
      .sql`select claim_code from telegram_provisionings where channel_id = ${item?.bot_id ?? ""}`
    assert.isFalse(Buffer.from(rows[0]?.["claim_code"]).includes(claim))
    assert.notInclude(
      JSON.stringify(
        await server.database.sql`select * from telegram_batch_items where channel_id = ${item?.bot_id ?? ""}`
      ),
      claim
    )
  })

  it("has no links that have expired and no detached bots, and says which", async () => {
    const character_slug = await app.createCharacter()
    const id = await batchOf([
      { character_slug, suggested_name: "Late" },
      { character_slug, suggested_name: "Unwanted" }
    ])
    const [late, unwanted] = await itemsOf(id)
    await server.database.sql`
        update telegram_provisionings set expires_at = now() - interval '1 second'
        where channel_id = ${late?.bot_id ?? ""}`
    await app.delete(`/v1/telegram/bots/${unwanted?.bot_id}`)
    const over = async () => (await itemsOf(id)).map(({ bot, link }) => [bot?.status, bot?.reason, link])
    const told = [
      ["detached", "link_expired", null],
      ["detached", "deleted", null]
    ]
    assert.deepStrictEqual(await over(), told)
    await server.database.sql`select graphile_worker.add_job('manager', '{}'::json)`
    await until(
      "the request to be deleted",
      async () => (await app.get(`/v1/telegram/bots/${late?.bot_id}`)).status === 404
    )
    assert.deepStrictEqual(await over(), told)
    const sheet = await sheetOf(id)
    assert.include(sheet, "The link has expired")
    assert.include(sheet, "Detached")
    assert.notInclude(sheet, "<img")
  })

  it("changes nothing in a dry run", async () => {
    const { body } = await app.post("/v1/telegram/batches", {
      action: "create_managed",
      dry_run: true,
      bots: [{ character_slug: await app.createCharacter() }]
    })
    await until("it to end", async () => (await statusOf(body.data.id)).status === "completed")
    const [item] = await itemsOf(body.data.id)
    assert.deepInclude(item, { status: "done", bot: null, link: null })
    assert.strictEqual((await app.get(`/v1/telegram/bots/${item?.bot_id}`)).status, 404)
    assert.include(await sheetOf(body.data.id), "Dry run")
  })

  it("is refused as a whole if an item is invalid: a missing character, a duplicate username", async () => {
    const character_slug = await app.createCharacter()
    const refused = async (bots: ReadonlyArray<object>, fields: object = {}) =>
      (await app.post("/v1/telegram/batches", { action: "create_managed", bots, ...fields })).body.detail
    assert.strictEqual((await refused([{ character_slug }, { character_slug: "nobody" }])).code, "character_not_found")
    const twice = await refused([
      { character_slug, suggested_username: "one_shop_bot" },
      { character_slug, suggested_username: "One_Shop_bot" }
    ])
    assert.include(twice.message, "bots[1].suggested_username")
    assert.strictEqual((await refused([{ character_slug }], { expires_in_minutes: 20_000 })).code, "validation_error")
  })

  it("continues where a process died, and creates no bot twice", async () => {
    const { sql } = server.database
    const id = await batchOf([{ character_slug: await app.createCharacter() }])
    const [before] = await itemsOf(id)
    await sql`update telegram_batch_items set status = 'pending', due_at = now() where batch_id = ${id}`
    await sql`select graphile_worker.add_job('batches', '{}'::json)`
    await until("it to end", async () => (await statusOf(id)).status === "completed")
    assert.deepStrictEqual(await itemsOf(id), [before as Item])
  })
})

/** What a camera reads from a picture. */
const scan = async (picture: Buffer): Promise<string> => {
  const { data, info } = await sharp(picture)
    .resize(400, 400, { kernel: "nearest" })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return decodeQR({ data, width: info.width, height: info.height })
}

describe("the printable sheet", () => {
  /** One that is created, one to be created under a hostile name, and one whose link has expired. */
  const mixed = async () => {
    const character_slug = await app.createCharacter()
    const id = await batchOf([
      { character_slug, suggested_name: "Mara of the harbour" },
      { character_slug, suggested_name: HOSTILE.slice(0, 64), owner_ref: "<b>shop</b>" },
      { character_slug, suggested_name: "Late" },
      { character_slug }
    ])
    const items = await itemsOf(id)
    telegram.confirmNewBot(manager, telegram.createUser(), {
      username: partsOf(items[0] as Item).username,
      name: "Mara of the harbour"
    })
    await becomes(id, 1, ({ status }) => status === "active")
    await server.database.sql`
        update telegram_provisionings set expires_at = now() - interval '1 second'
        where channel_id = ${items[2]?.bot_id ?? ""}`
    return { id, items }
  }

  it("shows what is left to do for each bot and how many an account can own, and loads nothing", async () => {
    const { id, items } = await mixed()
    const { status, headers, body } = await app.get(`/v1/telegram/batches/${id}/sheet`)
    assert.strictEqual(status, 200)
    assert.include(headers.get("content-type"), "text/html")
    assert.match(
      headers.get("content-security-policy") ?? "",
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:;/
    )
    assert.strictEqual(headers.get("cache-control"), "no-store")
    assert.notMatch(body, /<script|onerror=alert\(1\)>|<b>shop|\u202E/)
    assert.include(body, "&lt;/h2&gt;&lt;img src=x")
    assert.include(body, "Of 4: 1 created, 2 waiting to be created, 1 expired")
    assert.include(body, "can own 20 bots, or 40 with Telegram Premium")
    assert.include(body, `@${partsOf(items[0] as Item).username}`)
    assert.strictEqual(body.match(/<img /g)?.length, 2)
    const [, picture = ""] = /src="data:image\/svg\+xml;base64,([^"]+)"/.exec(body) ?? []
    assert.strictEqual(await scan(Buffer.from(picture, "base64")), items[1]?.link?.url)
  })

  it("belongs to one app, and exists for any batch", async () => {
    const { id } = (await app.post("/v1/telegram/batches", { action: "suspend", bot_ids: ["bot_x"] })).body.data
    await until("it to end", async () => (await statusOf(id)).status === "completed")
    assert.include(await sheetOf(id), "Failed: bot_not_found")
    const other = await server.createApp()
    assert.strictEqual((await other.get(`/v1/telegram/batches/${id}/sheet`)).body.detail.code, "batch_not_found")
  })

  it.skipIf(!hasBrowser)("renders completely in a browser, under its own policy", async () => {
    const { id, items } = await mixed()
    const browser = await startBrowser()
    try {
      const page = await openPage(browser, {
        viewport: { width: 1000, height: 900 },
        extraHTTPHeaders: { authorization: `Bearer ${app.key}` }
      })
      const errors: Array<string> = []
      page.on("console", (message) => {
        if (message.type() === "error") errors.push(message.text())
      })
      page.on("pageerror", ({ message }) => errors.push(message))
      await page.goto(`${app.baseUrl}/v1/telegram/batches/${id}/sheet`)
      assert.deepStrictEqual(
        await page.evaluate(`[...document.images].map((image) => image.complete && image.naturalWidth > 0)`),
        [true, true]
      )
      assert.isFalse(await page.evaluate(`document.documentElement.scrollWidth > innerWidth`))
      assert.strictEqual(await scan(await page.locator("img").last().screenshot()), items[3]?.link?.url)
      if (PICTURES !== undefined) {
        await page.screenshot({ path: join(PICTURES, "sheet-wide.png"), fullPage: true })
        await page.pdf({ path: join(PICTURES, "sheet.pdf"), format: "A4" })
        await page.emulateMedia({ media: "print" })
        await page.setViewportSize({ width: 760, height: 1000 })
        await page.screenshot({ path: join(PICTURES, "sheet-print.png"), fullPage: true })
        await page.emulateMedia({ media: "screen" })
      }
      await page.setViewportSize({ width: 360, height: 640 })
      assert.isFalse(await page.evaluate(`document.documentElement.scrollWidth > innerWidth`))
      if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, "sheet-narrow.png"), fullPage: true })
      assert.deepStrictEqual(
        errors.filter((text) => !text.includes("favicon")),
        []
      )
    } finally {
      await browser.close()
    }
  })
})
