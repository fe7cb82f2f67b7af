import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { rawClient } from "#test/support/hostile/rawRequest.ts"
import { type FakeTelegram, startFakeTelegram } from "../support/telegram/FakeTelegram.ts"

let telegram: FakeTelegram
beforeEach(async () => {
  telegram = await startFakeTelegram({ hasSimulator: true })
})
afterEach(() => telegram.close())

interface Made {
  readonly id: number
  readonly token: string
  readonly error?: string
}

const post = async (
  act: string,
  fields: unknown,
  headers: Record<string, string> = { "content-type": "application/json" }
) => {
  const response = await fetch(`${telegram.url}/_sim/${act}`, { method: "POST", headers, body: JSON.stringify(fields) })
  return { status: response.status, body: (await response.json()) as Made }
}
const get = async (path: string) => {
  const response = await fetch(`${telegram.url}/_sim/${path}`)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe("the simulator", () => {
  it("does not exist unless it was enabled", async () => {
    const plain = await startFakeTelegram()
    assert.strictEqual((await fetch(`${plain.url}/_sim/`)).status, 404)
    await plain.close()
  })

  it("acts for people and bots over HTTP", async () => {
    const bot = (await post("bot", { username: "ada_bot", name: "Ada" })).body
    const mia = (await post("person", { first_name: "Mia" })).body
    await post("start", { person: mia.id, bot: "ada_bot" })
    await post("say", { person: mia.id, bot: bot.id, text: "hello", reply_to: 1 })
    const updates = (await (await fetch(`${telegram.url}/bot${bot.token}/getUpdates`)).json()) as {
      readonly result: ReadonlyArray<{ readonly message: { readonly text: string } }>
    }
    assert.deepStrictEqual(
      updates.result.map(({ message }) => message.text),
      ["/start", "hello"]
    )
    await post("fault", {
      method: "sendMessage",
      trouble: {
        kind: "error",
        code: 429,
        description: "Too Many Requests: retry after 3",
        parameters: { retry_after: 3 }
      }
    })
    assert.strictEqual(
      (await fetch(`${telegram.url}/bot${bot.token}/sendMessage?chat_id=${mia.id}&text=hi`)).status,
      429
    )
    const chat = JSON.parse((await get(`chat?person=${mia.id}&bot=${bot.id}`)).text) as {
      readonly messages: ReadonlyArray<unknown>
    }
    assert.lengthOf(chat.messages, 2)
    const calls = (await post("calls", { method: "sendMessage" })).body as unknown as ReadonlyArray<{
      readonly fault: string
    }>
    assert.deepStrictEqual(
      calls.map(({ fault }) => fault),
      ["error"]
    )
  })

  it("creates a managed bot, or explains why not", async () => {
    await post("bot", { username: "keeper_bot", name: "Keeper", can_manage_bots: true })
    const mia = (await post("person", { first_name: "Mia" })).body
    assert.deepInclude(
      await post("new_bot", { person: mia.id, manager: "keeper_bot", username: "rose", name: "Rose" }),
      { status: 400, body: { error: "USERNAME_INVALID" } as Made }
    )
    assert.strictEqual(
      (await post("new_bot", { person: mia.id, manager: "keeper_bot", username: "rose_bot", name: "Rose" })).status,
      200
    )
  })

  it("refuses invalid requests", async () => {
    for (const [act, fields] of [
      ["say", {}],
      ["say", []],
      ["say", "text"],
      ["say", null],
      ["start", { person: 5, bot: 5 }],
      ["bot", { username: 1 }],
      ["fault", { trouble: { kind: "sabotage" } }],
      ["fault", {}]
    ] as const) {
      assert.strictEqual((await post(act, fields)).status, 400, `${act} ${JSON.stringify(fields)}`)
    }
    for (const act of ["nothing", "constructor", "__proto__"])
      assert.strictEqual((await post(act, {})).status, 404, act)
    for (const path of [
      "nothing.html",
      "Simulator.ts",
      "..%2fserve.ts",
      "..%2Fpage%2findex.html",
      "main.js%00",
      "file?path=../../package.json"
    ]) {
      assert.strictEqual((await get(path)).status, 404, path)
    }
  })

  it("is closed to other pages in the browser", async () => {
    const person = JSON.stringify({ first_name: "Eve" })
    assert.strictEqual((await post("person", { first_name: "Eve" }, { "content-type": "text/plain" })).status, 403)
    const raw = rawClient(telegram.url)
    const rebound = await raw.send({
      method: "POST",
      path: "/_sim/person",
      headers: { host: "evil.test", "content-type": "application/json" },
      body: person
    })
    raw.close()
    assert.strictEqual(rebound.status, 403)
    const page = await get("")
    assert.include(page.headers.get("content-security-policy") ?? "", "default-src 'self'")
    assert.isNull(page.headers.get("access-control-allow-origin"))
  })

  it("lets the browser show pictures, and only save other files", async () => {
    const mia = telegram.createUser()
    const bot = telegram.createBot()
    const types = async (bytes: Buffer) => {
      const message = telegram.sendMedia(mia, bot, "document", { bytes, name: "a.html", type: "text/html" })
      const { headers } = await get(`file?bot=${bot.id}&id=${message.document?.file_id}`)
      return [headers.get("content-type"), headers.get("content-disposition")]
    }
    assert.deepStrictEqual(await types(Buffer.from("<script>alert(1)</script>")), [
      "application/octet-stream",
      "attachment"
    ])
    assert.deepStrictEqual(await types(Buffer.from("89504e470d0a1a0a", "hex")), ["image/png", null])
  })

  it("reports changes at once", async () => {
    const response = await fetch(`${telegram.url}/_sim/events`)
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    assert.strictEqual((await reader?.read())?.value, "data: hello\n\n")
    telegram.createUser()
    assert.strictEqual((await reader?.read())?.value, "data: changed\n\n")
    await reader?.cancel()
  })
})
