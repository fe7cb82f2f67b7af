import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { startFakeTelegram } from "../support/telegram/FakeTelegram.ts"
import { startWithMia } from "./harness.ts"

let fake: Awaited<ReturnType<typeof startWithMia>>
beforeEach(async () => {
  fake = await startWithMia()
})
afterEach(() => fake.telegram.close())

interface Answer {
  readonly ok: boolean
  readonly error_code?: number
  readonly description?: string
  readonly result?: { readonly entities?: unknown }
}

const request = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(`${fake.telegram.url}${path}`, init)
  return [response.status, (await response.json()) as Answer] as const
}
const token = () => fake.bot.token
const lastText = () => fake.telegram.transcript(fake.bot, fake.mia).at(-1)?.text

describe("a request", () => {
  it("names its method in any case, and can address the test servers", async () => {
    assert.strictEqual((await request(`/bot${token()}/GETME`))[0], 200)
    assert.strictEqual((await request(`/bot${token()}/test/getme`))[0], 200)
    assert.deepStrictEqual(await request(`/bot${token()}/sendMoney`), [
      404,
      { ok: false, error_code: 404, description: "Not Found: method not found" }
    ])
    assert.deepStrictEqual(await request("/nothing"), [404, { ok: false, error_code: 404, description: "Not Found" }])
  })

  it("needs a valid token", async () => {
    assert.deepStrictEqual(await request("/bot123:abc/getMe"), [
      401,
      { ok: false, error_code: 401, description: "Unauthorized" }
    ])
    for (const bad of ["nonsense", "0123:abc", "123:"]) {
      assert.deepStrictEqual(await request(`/bot${bad}/getMe`), [
        401,
        { ok: false, error_code: 401, description: "Unauthorized: invalid token specified" }
      ])
    }
  })

  it("has its parameters in the query, in JSON, in a form, or in multipart form data", async () => {
    const { mia } = fake
    const path = `/bot${token()}/sendMessage`
    const parts = [
      '--x\r\ncontent-disposition:form-data;name="chat_id"\r\n\r\n',
      mia.id,
      "\r\n--x\r\ncontent-disposition:form-data;name=text\r\n\r\nparts\r\n--x--\r\n"
    ].join("")
    const bodies: ReadonlyArray<readonly [string, string, string]> = [
      ["json", "application/json", JSON.stringify({ chat_id: mia.id, text: "json", protect_content: true })],
      ["form", "application/x-www-form-urlencoded", `chat_id=${mia.id}&text=form&text=second`],
      ["parts", "multipart/form-data; boundary=x", parts]
    ]
    await request(`${path}?chat_id=${mia.id}&text=query`)
    assert.strictEqual(lastText(), "query")
    for (const [text, type, body] of bodies) {
      assert.strictEqual((await request(path, { method: "POST", headers: { "content-type": type }, body }))[0], 200)
      assert.strictEqual(lastText(), text)
    }
    await request(`${path}?text=wins`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ chat_id: mia.id, text: "loses" })
    })
    assert.strictEqual(lastText(), "wins")
  })

  it("accepts an object as JSON in a string", async () => {
    const { mia } = fake
    const entities = JSON.stringify([{ type: "bold", offset: 0, length: 2 }])
    const body = new URLSearchParams({ chat_id: String(mia.id), text: "hi", entities })
    const [, answer] = await request(`/bot${token()}/sendMessage`, { method: "POST", body })
    assert.deepStrictEqual(answer.result?.entities, [{ type: "bold", offset: 0, length: 2 }])
    assert.deepInclude((await request(`/bot${token()}/sendMessage?chat_id=${mia.id}&text=a&entities=[`))[1], {
      description: "Bad Request: can't parse entities JSON object"
    })
  })

  it("uploads a file whose name is not quoted, under its own name", async () => {
    const { bot, mia, telegram } = fake
    const part = (head: string, text: string) => `--x\r\ncontent-disposition:form-data;${head}\r\n\r\n${text}\r\n`
    const body =
      `${part('name="chat_id"', String(mia.id))}${part('name="document"', "attach://f0")}` +
      `${part('name="f0";filename=notes.txt', "bytes")}--x--\r\n`
    assert.strictEqual(
      (
        await request(`/bot${token()}/sendDocument`, {
          method: "POST",
          headers: { "content-type": "multipart/form-data; boundary=x" },
          body
        })
      )[0],
      200
    )
    assert.deepInclude(telegram.transcript(bot, mia).at(-1)?.document, { file_name: "notes.txt", file_size: 5 })
  })
})

describe("a token", () => {
  it("cannot be used here for 10 minutes after logOut", async () => {
    assert.isTrue(await fake.result("logOut"))
    assert.strictEqual(await fake.refusal("getMe"), "400 Logged out")
    fake.telegram.advance(600_000)
    assert.strictEqual((await fake.result("getMe")).id, fake.bot.id)
  })

  it("cannot be closed in its first 10 minutes", async () => {
    assert.match(await fake.refusal("close"), /^429 Too Many Requests: retry after (?:600|599)$/)
    fake.telegram.advance(600_000)
    assert.isTrue(await fake.result("close"))
  })
})

describe("the fake server", () => {
  it("does not start in production", async () => {
    const before = process.env["NODE_ENV"]
    process.env["NODE_ENV"] = "production"
    try {
      const started = await startFakeTelegram().then(
        () => "started",
        (cause: Error) => cause.message
      )
      assert.strictEqual(started, "the fake Telegram does not run in production")
    } finally {
      process.env["NODE_ENV"] = before
    }
  })

  it("listens on loopback only", () => {
    assert.strictEqual(new URL(fake.telegram.url).hostname, "127.0.0.1")
  })
})
