import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type FakeModel, type FakeRequest, start } from "#test/support/model/FakeModel.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const CAP_USD = 2

/** A tokenizer that only knows English: one token per byte of anything else. */
const tokensOf = ({ messages }: FakeRequest): number => {
  const text = messages.map(({ content }) => content).join("")
  const ascii = text.replace(/[^\u0020-\u007e]/g, "").length
  return Buffer.byteLength(text) - ascii + Math.ceil(ascii / 4)
}
const usageOf = (request: FakeRequest) => ({ prompt_tokens: tokensOf(request), completion_tokens: 200 })

let model: FakeModel
let server: TestServer
beforeAll(async () => {
  model = await start({
    otherwise: (request) =>
      ({ kind: request.question === "analysis" ? "wrong_schema" : "reports_usage", usage: usageOf(request) }) as const,
    reading: (request) => ({ kind: "reports_usage", usage: usageOf(request) })
  })
  server = await startTestServer({
    env: {
      OPENAI_BASE_URL: model.url,
      OPENAI_MODEL: "m",
      MODEL_PRICES: JSON.stringify({ m: { input: 2.5, output: 15 } })
    }
  })
})
afterAll(async () => {
  await server.close()
  await model.close()
})

describe("a reply under a budget", () => {
  it.each([
    ["deep", "hieroglyphs", "𓀀".repeat(16_000)],
    ["deep", "Chinese characters", "水".repeat(14_000)],
    ["fast", "hieroglyphs", "𓀀".repeat(16_000)],
    ["fast", "Chinese characters", "水".repeat(14_000)],
    ["fast", "a few words", "I am hungry. What is for dinner?"]
  ] as const)(
    "is paid for although the analysis is unusable, and so is memory extraction: %s, %s",
    async (reply_mode, _, text) => {
      const app = await server.createApp({ budgetUsd: CAP_USD })
      const session = await app.createSession()
      const [asked, extracted] = [model.requests.length, model.extractions.length]
      const sent = await app.post(`/v1/sessions/${session}/messages`, { text, reply_mode })
      assert.strictEqual(sent.status, 200, JSON.stringify(sent.body))
      const event = await app.waitFor(
        session,
        ({ type, role }) => type === "message.failed" || (type === "message.created" && role === "character")
      )
      const stages = await server.database.sql<Array<{ stage: string; error_code: string | null; cost: number }>>`
        select stage, error_code, cost_micro_usd::int as cost from turn_stages where app_id = ${app.appId}`
      assert.strictEqual(event.type, "message.created", JSON.stringify(stages))
      const questions = model.requests.slice(asked).map(({ question }) => question)
      assert.strictEqual(questions[0], "analysis", "the analysis is asked for at least once")
      assert.include(questions, "reply")
      await until("memory extraction", async () => {
        const [row] = await server.database.sql<Array<{ done: boolean }>>`
          select exists (select from relationships where app_id = ${app.appId} and read_turn >= 1) as done`
        return row?.done === true ? row : undefined
      })
      const [update] = await server.database.sql<Array<{ error_code: string | null }>>`
        select error_code from turn_stages where app_id = ${app.appId} and stage = 'relational_update'`
      assert.isNull(update?.error_code)
      assert.strictEqual(model.extractions.length, extracted + 1)
      const [booked] = await server.database.sql<Array<{ settled: number; held: number; most: number }>>`
        select sum(amount_micro_usd) filter (where entry = 'settle')::int as settled,
          sum(amount_micro_usd) filter (where entry <> 'settle')::int as held,
          max(amount_micro_usd)::int as most
        from ledger where app_id = ${app.appId}`
      assert.isAtMost(booked?.settled ?? Infinity, booked?.most ?? 0, "no more is booked than was reserved")
      assert.strictEqual(booked?.held, 0)
    }
  )
})
