import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { hang, type Receiver, reset, startReceiver, status } from "../support/Receiver.ts"
import { until } from "../support/until.ts"
import { startWithMia } from "./harness.ts"

const SECOND = 1_000
const HOUR = 3_600 * SECOND

let fake: Awaited<ReturnType<typeof startWithMia>>
let receiver: Receiver
/** The next answer of the app's server. Default: 200. */
let answers: Array<Parameters<typeof startReceiver>[0]>

beforeEach(async () => {
  answers = []
  // The fake's time stands still, so that pauses are exact.
  fake = await startWithMia({ speed: 0 })
  receiver = await startReceiver((response, request) => (answers.shift() ?? status(200))(response, request))
})
afterEach(async () => {
  await fake.telegram.close()
  await receiver.close()
})

const arm = (parameters: Record<string, unknown> = {}) => fake.call("setWebhook", { url: receiver.url, ...parameters })
const bodies = () =>
  receiver.requests.map(
    ({ body }) =>
      JSON.parse(body.toString("utf8")) as { readonly update_id: number; readonly message?: { readonly text?: string } }
  )
const texts = () => bodies().map(({ message }) => message?.text)
const attempts = (count: number) =>
  until(
    `${count} attempts`,
    () => fake.telegram.deliveries(fake.bot).length >= count && fake.telegram.deliveries(fake.bot)
  )
/** Seconds from the end of one attempt to the start of the next. */
const pauses = () => {
  const deliveries = fake.telegram.deliveries(fake.bot)
  return deliveries
    .slice(1)
    .map(({ startedAtMs }, index) => Math.round((startedAtMs - (deliveries[index]?.endedAtMs ?? 0)) / SECOND))
}

describe("a webhook delivery", () => {
  it("carries the secret, and is confirmed by any 2xx", async () => {
    answers.push(status(204))
    const { body } = await arm({ secret_token: "s3cret_-" })
    assert.deepInclude(body, { ok: true, result: true, description: "Webhook was set" })
    const request = await receiver.received(0)
    assert.strictEqual(request.headers["x-telegram-bot-api-secret-token"], "s3cret_-")
    assert.strictEqual(request.headers["content-type"], "application/json")
    await until("nothing is pending", () => fake.telegram.pendingUpdates(fake.bot).length === 0)
  })

  it("has an id that counts up from a random start", async () => {
    const { bot, mia, telegram } = fake
    telegram.say(mia, bot, "two")
    const other = telegram.createBot()
    telegram.start(mia, other)
    const [first, second] = telegram.pendingUpdates(bot).map(({ update_id }) => update_id)
    assert.strictEqual(second, (first ?? 0) + 1)
    assert.isAbove(first ?? 0, 99_999_999)
    assert.notStrictEqual(telegram.pendingUpdates(other)[0]?.update_id, first)
    telegram.advance(8 * 24 * HOUR)
    telegram.say(mia, bot, "much later")
    assert.isAbove(Math.abs((telegram.pendingUpdates(bot)[0]?.update_id ?? 0) - (second ?? 0)), 1)
  })

  it("waits for the previous one in its chat, and for nothing else", async () => {
    const { bot, mia, telegram } = fake
    const leo = telegram.createUser({ first_name: "Leo" })
    answers.push(hang)
    await arm()
    await receiver.received(0)
    telegram.say(mia, bot, "held up")
    telegram.say(leo, bot, "passing")
    telegram.block(mia, bot)
    await receiver.received(2)
    // Over two connections, of which either may be the first.
    assert.sameMembers(texts(), ["/start", "passing", undefined])
    await until("only those of the chat are left", () => telegram.pendingUpdates(bot).length === 2)
  })

  it("uses as many connections as were configured", async () => {
    const { bot, telegram } = fake
    answers.push(hang, hang)
    await arm({ max_connections: 2 })
    for (const name of ["Leo", "Ida"]) telegram.say(telegram.createUser({ first_name: name }), bot, name)
    await receiver.received(1)
    telegram.advance(60 * SECOND)
    await receiver.received(3)
    assert.sameMembers(texts().slice(0, 2), ["/start", "Leo"])
    assert.strictEqual(telegram.deliveries(bot)[0]?.outcome, "Read timeout expired")
  })

  it("that fails is repeated at once, then after 2, 4, 8 s and more, up to a minute or two", async () => {
    answers.push(...Array.from({ length: 9 }, () => status(500)))
    await arm()
    for (let count = 1; count <= 10; count += 1) {
      await attempts(count)
      if (count > 1 && count < 10) fake.telegram.advance(count < 8 ? 2 ** (count - 1) * SECOND : 121 * SECOND)
    }
    assert.deepStrictEqual(pauses().slice(0, 6), [0, 2, 4, 8, 16, 32])
    const info = await fake.result("getWebhookInfo")
    assert.strictEqual(info.last_error_message, "Wrong response from the webhook: 500 Internal Server Error")
    assert.isNumber(info.last_error_date)
    assert.strictEqual(info.pending_update_count, 0)
  })

  it("is repeated when Retry-After says so, within an hour", async () => {
    answers.push(status(503, { "retry-after": "30" }), status(503, { "retry-after": "9999" }))
    await arm()
    await attempts(1)
    fake.telegram.advance(30 * SECOND)
    await attempts(2)
    fake.telegram.advance(HOUR)
    await attempts(3)
    assert.deepStrictEqual(pauses(), [30, 3_600])
  })

  it("is dropped after 24 hours, and a pressed button after 150 s", async () => {
    const { bot, mia, result, telegram } = fake
    const message = await result("sendMessage", {
      chat_id: mia.id,
      text: "hi",
      reply_markup: { inline_keyboard: [[{ text: "Yes", callback_data: "y" }]] }
    })
    telegram.press(mia, bot, message, "Yes")
    assert.lengthOf(telegram.pendingUpdates(bot), 2)
    telegram.advance(151 * SECOND)
    assert.lengthOf(telegram.pendingUpdates(bot), 1)
    telegram.advance(24 * HOUR)
    assert.lengthOf(telegram.pendingUpdates(bot), 0)
  })

  it("follows no redirect", async () => {
    answers.push(status(302, { location: receiver.url }))
    await arm()
    await attempts(2)
    assert.deepStrictEqual(
      fake.telegram.deliveries(fake.bot).map(({ outcome }) => outcome),
      [302, 200]
    )
  })

  it("records a broken connection", async () => {
    answers.push(reset, reset)
    await arm()
    await attempts(2)
    assert.strictEqual((await fake.result("getWebhookInfo")).last_error_message, "Connection reset by peer")
  })

  it("may be answered with a method, whose result nobody receives", async () => {
    const { bot, mia, telegram } = fake
    const reply = (method: string) =>
      status(
        200,
        { "content-type": "application/json" },
        JSON.stringify({ method, chat_id: mia.id, text: "from the answer" })
      )
    answers.push(reply("sendMessage"), reply("getMe"))
    telegram.say(mia, bot, "again")
    await arm()
    await attempts(2)
    assert.deepStrictEqual(
      telegram.transcript(bot, mia).map(({ text }) => text),
      ["/start", "again", "from the answer"]
    )
    assert.deepStrictEqual(
      telegram.calls({ bot }).map(({ method }) => method),
      ["setWebhook", "sendMessage"]
    )
  })
})

describe("a webhook", () => {
  it("is removed after 23 hours of 410", async () => {
    const { bot, mia, result, telegram } = fake
    answers.push(status(410), status(410), status(410))
    await arm()
    await attempts(2)
    telegram.advance(23 * HOUR + SECOND)
    await until("it is gone", async () => (await result("getWebhookInfo")).url === "")
    telegram.say(mia, bot, "still there?")
    assert.strictEqual((await result("getWebhookInfo")).pending_update_count, 2)
  })

  it("is unchanged when it is set again with the same parameters", async () => {
    await arm({ secret_token: "a" })
    fake.telegram.advance(SECOND)
    assert.strictEqual((await arm({ secret_token: "a" })).body.description, "Webhook is already set")
    fake.telegram.advance(SECOND)
    assert.strictEqual((await arm({ secret_token: "b" })).body.description, "Webhook was set")
  })

  it("can be set once a second", async () => {
    await arm()
    const { body, headers, status } = await arm()
    assert.deepStrictEqual(body, {
      ok: false,
      error_code: 429,
      description: "Too Many Requests: retry after 1",
      parameters: { retry_after: 1 }
    })
    assert.deepStrictEqual([status, headers.get("retry-after")], [429, "1"])
  })

  it("can be deleted, on request with everything that is pending", async () => {
    const { bot, mia, result, telegram } = fake
    answers.push(hang)
    await arm()
    telegram.say(mia, bot, "one more")
    assert.strictEqual((await fake.call("deleteWebhook")).body.description, "Webhook was deleted")
    assert.strictEqual((await fake.call("deleteWebhook")).body.description, "Webhook is already deleted")
    assert.strictEqual((await result("getWebhookInfo")).pending_update_count, 2)
    await result("deleteWebhook", { drop_pending_updates: true })
    assert.deepStrictEqual(await result("getWebhookInfo"), {
      url: "",
      has_custom_certificate: false,
      pending_update_count: 0
    })
  })

  it("has a secret of up to 256 letters, digits, _ and -", async () => {
    const { refusal, telegram } = fake
    assert.strictEqual(
      await refusal("setWebhook", { url: receiver.url, secret_token: "a b" }),
      "400 Bad Request: secret token contains unallowed characters"
    )
    telegram.advance(SECOND)
    assert.strictEqual(
      await refusal("setWebhook", { url: receiver.url, secret_token: "a".repeat(257) }),
      "400 Bad Request: secret token is too long"
    )
  })

  it("is removed when setting the next one is refused", async () => {
    const { refusal, result, telegram } = fake
    await arm()
    telegram.advance(SECOND)
    assert.strictEqual(
      await refusal("setWebhook", { url: "https://" }),
      "400 Bad Request: invalid webhook URL specified"
    )
    assert.strictEqual((await result("getWebhookInfo")).url, "")
  })

  it("keeps its update types when it is set without them, and returns to the default with an empty list", async () => {
    const { bot, mia, result, telegram } = fake
    answers.push(hang, hang, hang)
    await arm({ allowed_updates: ["message", "nonsense"] })
    telegram.block(mia, bot)
    telegram.advance(SECOND)
    await arm({ max_connections: 5 })
    assert.deepStrictEqual((await result("getWebhookInfo")).allowed_updates, ["message"])
    telegram.unblock(mia, bot)
    telegram.advance(SECOND)
    await arm({ allowed_updates: [] })
    assert.isUndefined((await result("getWebhookInfo")).allowed_updates)
    telegram.block(mia, bot)
    assert.deepStrictEqual(
      telegram
        .pendingUpdates(bot)
        .map((update) => update.my_chat_member?.new_chat_member.status ?? update.message?.text),
      ["/start", "kicked"]
    )
  })

  it("is removed with its token, and pending updates are kept", async () => {
    const { bot, mia, telegram } = fake
    answers.push(hang)
    await arm()
    const old = bot.token
    telegram.revokeToken(bot)
    assert.notStrictEqual(bot.token, old)
    const before = telegram.pendingUpdates(bot)
    telegram.say(mia, bot, "after")
    assert.deepStrictEqual(
      telegram.pendingUpdates(bot).map(({ update_id }) => update_id),
      [before[0]?.update_id ?? 0, (before[0]?.update_id ?? 0) + 1]
    )
    const dead = await fetch(`${telegram.url}/bot${old}/getMe`)
    assert.deepStrictEqual(
      [dead.status, await dead.json()],
      [401, { ok: false, error_code: 401, description: "Unauthorized" }]
    )
    const info = (await (await fetch(`${telegram.url}/bot${bot.token}/getWebhookInfo`)).json()) as {
      readonly result: unknown
    }
    assert.deepInclude(info.result, { url: "", pending_update_count: 2 })
  })
})

describe("the addresses that Telegram accepts", () => {
  it("are https on four ports", async () => {
    const strict = await startWithMia({ takesAnyWebhookUrl: false })
    try {
      assert.strictEqual(
        await strict.refusal("setWebhook", { url: "http://a.test/hook" }),
        "400 Bad Request: bad webhook: An HTTPS URL must be provided for webhook"
      )
      strict.telegram.advance(SECOND)
      assert.strictEqual(
        await strict.refusal("setWebhook", { url: "https://a.test:444/hook" }),
        "400 Bad Request: bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443"
      )
      strict.telegram.advance(SECOND)
      assert.isTrue(await strict.result("setWebhook", { url: "https://a.test:8443/hook" }))
    } finally {
      await strict.telegram.close()
    }
  })
})
