import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { until } from "../support/until.ts"
import { startWithMia } from "./harness.ts"

let fake: Awaited<ReturnType<typeof startWithMia>>
beforeEach(async () => {
  fake = await startWithMia()
})
afterEach(() => fake.telegram.close())

const say = (text: string, chat_id = fake.mia.id) => fake.call("sendMessage", { chat_id, text })
const failure = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "none",
    (cause: { readonly cause?: { readonly code?: string } }) => cause.cause?.code ?? String(cause)
  )
const said = () =>
  fake.telegram
    .transcript(fake.bot, fake.mia)
    .slice(1)
    .map(({ text }) => text)

describe("a fault", () => {
  it("affects the next call that matches, and no other", async () => {
    const { bot, mia, telegram } = fake
    const leo = telegram.createUser()
    telegram.start(leo, bot)
    const fault = telegram.fault(
      { bot, method: "sendMessage", chat: mia.id },
      { kind: "error", code: 500, description: "Internal Server Error: restart" }
    )
    assert.strictEqual((await say("to Leo", leo.id)).status, 200)
    assert.deepInclude((await say("one")).body, {
      ok: false,
      error_code: 500,
      description: "Internal Server Error: restart"
    })
    assert.strictEqual((await say("two")).status, 200)
    assert.strictEqual(fault.hits(), 1)
    assert.deepStrictEqual(
      telegram.calls({ chat: mia.id }).map(({ fault }) => fault),
      ["error", undefined]
    )
  })

  it("carries parameters and, with 429, the header", async () => {
    const { telegram } = fake
    telegram.fault(
      {},
      { kind: "error", code: 429, description: "Too Many Requests: retry after 7", parameters: { retry_after: 7 } }
    )
    const { body, headers } = await say("one")
    assert.deepInclude(body, { parameters: { retry_after: 7 } })
    assert.strictEqual(headers.get("retry-after"), "7")
  })

  it("drops a call before it is applied, or after", async () => {
    const { telegram } = fake
    telegram.fault({}, { kind: "drop_before" })
    telegram.fault({}, { kind: "drop_after" })
    assert.match(await failure(say("before")), /ECONNRESET|UND_ERR_SOCKET/)
    assert.match(await failure(say("after")), /ECONNRESET|UND_ERR_SOCKET/)
    assert.deepStrictEqual(said(), ["after"])
    assert.deepStrictEqual(
      telegram.calls().map(({ answer }) => answer?.ok),
      [undefined, true]
    )
  })

  it("leaves a call unanswered, answers it late, or returns the page of an edge server", async () => {
    const { bot, mia, telegram } = fake
    telegram.fault({}, { kind: "hang" })
    const url = `${telegram.url}/bot${bot.token}/sendMessage?chat_id=${mia.id}&text=hung`
    const hung = new AbortController()
    const answer = fetch(url, { signal: hung.signal })
    await telegram.called({ method: "sendMessage" })
    hung.abort()
    assert.match(await failure(answer), /abort/i)

    telegram.fault({}, { kind: "html502" })
    const edge = await fetch(url)
    assert.deepStrictEqual([edge.status, edge.headers.get("content-type")], [502, "text/html"])
    assert.include(await edge.text(), "502 Bad Gateway")

    telegram.fault({}, { kind: "slow", ms: 0 })
    assert.strictEqual((await say("late")).status, 200)
    assert.deepStrictEqual(said(), ["late"])
  })

  it("occurs at random, but identically for the same seed", async () => {
    const outcomes = async (seed: number) => {
      const { call, mia, telegram } = await startWithMia({ seed })
      telegram.fault(
        { count: Infinity, probability: 0.5 },
        { kind: "error", code: 500, description: "Internal Server Error: restart" }
      )
      const statuses: Array<number> = []
      for (let index = 0; index < 12; index += 1)
        statuses.push((await call("sendChatAction", { chat_id: mia.id, action: "typing" })).status)
      await telegram.close()
      return statuses.join(" ")
    }
    const first = await outcomes(7)
    assert.include(first, "200")
    assert.include(first, "500")
    assert.strictEqual(await outcomes(7), first)
    assert.notStrictEqual(await outcomes(8), first)
  })

  it("takes effect in its turn, lasts as long as requested, and can be removed", async () => {
    const { telegram } = fake
    const trouble = { kind: "error", code: 403, description: "Forbidden: bot was blocked by the user" } as const
    const fault = telegram.fault({ after: 1, count: 2 }, trouble)
    const statuses: Array<number> = []
    for (let index = 0; index < 4; index += 1) statuses.push((await say(String(index))).status)
    assert.deepStrictEqual(statuses, [200, 403, 403, 200])
    fault.remove()
    telegram.fault({ count: Infinity }, trouble)
    telegram.clearFaults()
    assert.strictEqual((await say("at last")).status, 200)
  })
})

describe("a rate limit", () => {
  const burst = async (options: Parameters<typeof startWithMia>[0]) => {
    await fake.telegram.close()
    fake = await startWithMia({ speed: 0, ...options })
  }

  it("of a chat counts every method, and returns how long to wait", async () => {
    await burst({ rates: { chat: { perSecond: 1, burst: 2 } } })
    const { call, mia, telegram } = fake
    await say("one")
    await call("sendChatAction", { chat_id: mia.id, action: "typing" })
    const { body } = await say("too fast")
    assert.deepInclude(body, { ok: false, error_code: 429, parameters: { retry_after: 1 } })
    assert.deepStrictEqual(
      telegram
        .calls()
        .filter(({ fault }) => fault === "rate_limit")
        .map(({ chatId, method }) => [chatId, method]),
      [[String(mia.id), "sendMessage"]]
    )
    telegram.advance(1_000)
    assert.strictEqual((await say("in time")).status, 200)
  })

  it("of a bot applies to all its chats together", async () => {
    await burst({ rates: { bot: { perSecond: 0.1, burst: 1 } } })
    await say("one")
    assert.deepInclude((await fake.call("getMe")).body, { parameters: { retry_after: 10 } })
  })

  it("of a group differs from that of a private chat", async () => {
    await burst({ rates: { group: { perSecond: 1 / 3, burst: 1 } } })
    const { bot, mia, telegram } = fake
    const group = telegram.createGroup([mia])
    telegram.addBot(group, mia, bot)
    for (const id of [mia.id, mia.id, group.id]) assert.strictEqual((await say("fine", id)).status, 200)
    assert.strictEqual((await say("too fast", group.id)).status, 429)
  })

  it("of unknown tokens is 20 a minute, and does not count known ones", async () => {
    await burst({ rates: { newTokens: true } })
    const { telegram } = fake
    const getMe = async (token: string) => (await fetch(`${telegram.url}/bot${token}/getMe`)).status
    const bots = Array.from({ length: 21 }, () => telegram.createBot())
    const statuses: Array<number> = []
    for (const { token } of bots) statuses.push(await getMe(token))
    assert.deepStrictEqual([statuses.filter((status) => status === 200).length, statuses.at(-1)], [20, 429])
    assert.strictEqual(await getMe(bots[0]?.token ?? ""), 200)
    telegram.advance(60_000)
    assert.strictEqual(await getMe(bots[20]?.token ?? ""), 200)
  })

  it("on calls that wait in a chat rejects the 311th call, 3 s late", async () => {
    const { telegram } = fake
    telegram.fault({ count: 310 }, { kind: "slow", ms: 20_000 })
    const crowd = Array.from({ length: 310 }, () => say("slow"))
    await until("all have come", () => telegram.calls().length === 310)
    const oneMore = say("one more")
    await until("it has come", () => telegram.calls().length === 311)
    telegram.advance(3_000)
    const { body } = await oneMore
    assert.deepInclude(body, { error_code: 429, parameters: { retry_after: 60 } })
    telegram.advance(20_000)
    assert.deepStrictEqual([...new Set((await Promise.all(crowd)).map(({ status }) => status))], [200])
  })
})
