import * as fc from "fast-check"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type FakeModel, type FakeRequest, start } from "#test/support/FakeModel.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const CAP_USD = 0.9
const CAP = CAP_USD * 1_000_000
const MAX_TOKENS = 800

/** Bytes per token, and how often an answer is unusable: both depend on the model. */
let bytesPerToken = 3
let unusableEvery = 0
let calls = 0

let model: FakeModel
let server: TestServer
beforeAll(async () => {
  const behave = ({ messages }: FakeRequest) => {
    if (unusableEvery > 0 && ++calls % unusableEvery === 0) return { kind: "truncated_json" } as const
    const bytes = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
    return {
      kind: "reports_usage",
      usage: { prompt_tokens: Math.ceil(bytes / bytesPerToken), completion_tokens: MAX_TOKENS }
    } as const
  }
  model = await start({ otherwise: behave, reading: behave })
  server = await startTestServer({
    env: {
      OPENAI_BASE_URL: model.url,
      OPENAI_MODEL: "dear",
      OPENAI_MAX_TOKENS: String(MAX_TOKENS),
      MODEL_PRICES: JSON.stringify({ dear: { input: 2.5, cached_input: 0.25, output: 15 } })
    }
  })
})
afterAll(async () => {
  await server.close()
  await model.close()
})

const booksOf = async (appId: string) => {
  const [row] = await server.database.sql<Array<{ settled: number; held: number; used: number; open: number }>>`
    select (select coalesce(sum(amount_micro_usd) filter (where entry = 'settle'), 0)::int from ledger
      where app_id = ${appId}) as settled,
      (select coalesce(sum(amount_micro_usd) filter (where entry <> 'settle'), 0)::int from ledger
        where app_id = ${appId}) as held,
      (select month_used_micro_usd::int from allowances where app_id = ${appId} and kind = 'app') as used,
      (select count(*)::int from turns t left join relationships r using (app_id, session_id) where t.app_id = ${appId}
        and (t.outcome is null or t.turn_index > coalesce(r.read_turn, 0))) as open`
  return { settled: 0, held: 0, used: 0, open: 0, ...row }
}

const messages = fc.array(
  fc.record({
    session: fc.nat({ max: 2 }),
    length: fc.constantFrom(5, 500, 8_000, 30_000),
    letter: fc.constantFrom("x", "水", "<", "\n", "é "),
    mode: fc.constantFrom("fast" as const, "deep" as const)
  }),
  { minLength: 4, maxLength: 12 }
)

describe("the reservation for a turn", () => {
  it("keeps the costs within the cap, whatever is sent and however often the model is called", () =>
    fc.assert(
      fc.asyncProperty(
        messages,
        fc.constantFrom(1, 3, 4),
        fc.constantFrom(0, 2, 5),
        fc.boolean(),
        async (sent, density, unusable, isOfUser) => {
          bytesPerToken = density
          unusableEvery = unusable
          const app = await server.createApp({ budgetUsd: isOfUser ? 50 : CAP_USD })
          const sessions = await Promise.all([0, 1, 2].map(() => app.createSession({ external_user_ref: "ann" })))
          if (isOfUser) await app.patch("/v1/end-users/ann/caps", { daily_cost_usd: CAP_USD })
          const statuses = await Promise.all(
            sent.map(
              async ({ session, length, letter, mode }) =>
                (
                  await app.post(`/v1/sessions/${sessions[session]}/messages`, {
                    text: letter
                      .repeat(Math.ceil(length / letter.length))
                      .slice(0, length)
                      .replace(/^\s/, "a"),
                    reply_mode: mode
                  })
                ).status
            )
          )
          assert.isTrue(
            statuses.every((status) => status === 200 || status === 402),
            String(statuses)
          )
          assert.include(statuses, 200)
          const { settled, held, used } = await until("memory extraction of every turn", async () => {
            const books = await booksOf(app.appId)
            assert.isAtMost(books.settled, CAP)
            return books.open === 0 ? books : undefined
          })
          assert.isAbove(settled, 0)
          assert.strictEqual(held, 0)
          assert.strictEqual(used, isOfUser ? used : settled)
        }
      ),
      { numRuns: 8 }
    ))

  it("grows with the message and the character, so that fewer long messages fit than short ones", async () => {
    bytesPerToken = 4
    unusableEvery = 0
    const send = async (text: string, character: Record<string, unknown> = {}) => {
      const app = await server.createApp({ budgetUsd: CAP_USD })
      const character_slug = await app.createCharacter(character)
      const session = await app.createSession({ character_slug })
      await app.send(session, text)
      const [hold] = await server.database.sql<
        Array<{ hold: number }>
      >`select hold_micro_usd::int as hold from turns where app_id = ${app.appId}`
      return hold?.hold ?? 0
    }
    const short = await send("Hello.")
    assert.isAbove(await send("Hello. ".repeat(4_000)), short * 1.5)
    assert.isAbove(await send("Hello.", { persona: { summary: "She remembers it all. ".repeat(80) } }), short)
  })

  it("is zero for a model on this machine without a price, whose use is not marked as unpriced", async () => {
    const local = await startTestServer({
      env: { OPENAI_BASE_URL: model.url, OPENAI_MODEL: "llama3.1", MODEL_PRICES: "" }
    })
    try {
      const app = await local.createApp({ budgetUsd: 0.01 })
      await app.converse(await app.createSession(), "Hello? ".repeat(2_000))
      const { data: usage } = (await app.get("/v1/usage?group_by=model")).body
      assert.deepInclude(usage, { cost_usd: 0, priced: true, messages: 1 })
      assert.deepInclude((await app.get("/v1/rates")).body.data, {
        model: "llama3.1",
        priced: true,
        price_source: "free"
      })
    } finally {
      await local.close()
    }
  })

  it("is zero without a model, but a budget of zero is still answered with 402", async () => {
    const offline = await startTestServer({ env: { MODEL_PRICES: "" } })
    try {
      const [rich, poor] = [await offline.createApp(), await offline.createApp({ budgetUsd: 0 })]
      await rich.converse(await rich.createSession(), "Hello?")
      assert.strictEqual((await rich.get("/v1/usage")).body.data.cost_usd, 0)
      assert.strictEqual(
        (await poor.post(`/v1/sessions/${await poor.createSession()}/messages`, { text: "Hello?", reply_mode: "fast" }))
          .status,
        402
      )
    } finally {
      await offline.close()
    }
  })
})
