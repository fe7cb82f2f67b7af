import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { makesFalseClaim } from "#pipeline/emission/memoryClaims.ts"
import { demoCharacters } from "#src/demo/characters.ts"
import { type Behaviour, type FakeModel, type FakeRequest, start } from "#test/support/FakeModel.ts"
import { SCRIPTS } from "#test/support/scripts.ts"
import type { LogEvent, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { runTroupe } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

const TURNS = 200
const WITHIN = 10
const STAGES = ["retrieval", "grounding", "safety", "knowledge", "generation", "emission", "relational_update"]
const UNLIMITED = { MESSAGES_PER_MINUTE: "1000000", REQUESTS_PER_MINUTE: "1000000" }

/** What people say to a demo character in an evening, extended to two hundred messages. */
const evening = [
  ...SCRIPTS.filter((_, n) => n % demoCharacters.length === 0),
  ...SCRIPTS.filter((_, n) => n % demoCharacters.length === 1)
]
  .flat()
  .slice(0, TURNS)

interface Row {
  readonly run_ref: string
  readonly turn_index: number
  readonly settled: boolean
  readonly outcome: string
  readonly cost_usd: number
  readonly stages: ReadonlyArray<{
    readonly stage: string
    readonly decision: string | null
    readonly cost_usd: number | null
    readonly detail?: { readonly cited_memory_ids?: ReadonlyArray<string> } | null
  }>
}

/** All pages of a list, whose name in the response is given. */
const pagesOf = async <A>(app: TestApp, list: string, name: string): Promise<ReadonlyArray<A>> => {
  const rows: Array<A> = []
  for (let cursor: string | null = null; ;) {
    const { body } = await app.get(`${list}?limit=100${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`)
    rows.push(...body.data[name])
    cursor = body.data.next_cursor
    if (cursor === null) return rows
  }
}

const traceOf = (app: TestApp, session: string) => pagesOf<Row>(app, `/v1/sessions/${session}/trace`, "trace")

interface MemoryRow {
  readonly id: string
  readonly evidence: ReadonlyArray<{ readonly cursor: number }>
}

const converse = async (server: TestServer, messages: ReadonlyArray<string>) => {
  const app = await server.createApp({ budgetUsd: 1_000 })
  const profile = demoCharacters[0]
  assert.strictEqual((await app.post("/v1/characters", profile)).status, 200)
  const session = await app.createSession({ character_slug: profile?.slug })
  const replies: Array<LogEvent> = []
  for (const text of messages) replies.push(await app.converse(session, text))
  const trace = await until("memory extraction of every turn", async () => {
    const rows = await traceOf(app, session)
    return rows.every(({ settled }) => settled) ? rows : undefined
  })
  return {
    app,
    session,
    replies: replies.map(({ type, cursor, trace_id, payload }) => ({
      type,
      cursor,
      trace_id,
      text: String(payload["text"])
    })),
    trace
  }
}
type Conversation = Awaited<ReturnType<typeof converse>>

/** What must be true for every long conversation, with any engine. */
const holds = async (
  server: TestServer,
  messages: ReadonlyArray<string>,
  { app, session, replies, trace }: Conversation
) => {
  assert.deepStrictEqual(
    replies.map(({ type }) => type),
    messages.map(() => "message.created")
  )
  for (const [n, { text }] of replies.entries())
    assert.notInclude(
      replies.slice(Math.max(0, n - WITHIN), n).map(({ text }) => text),
      text,
      `reply ${n}, to: ${messages[n]}`
    )

  // What a reply may cite: a message, or a memory through the messages that support it.
  const memories = await pagesOf<MemoryRow>(app, `/v1/sessions/${session}/memories`, "memories")
  const cursors = new Map<string, number>([
    ...(await app.events(session)).map((event) => [`cursor-${event.cursor}`, event.cursor] as const),
    ...memories.map(({ id, evidence }) => [id, Math.min(...evidence.map(({ cursor }) => cursor))] as const)
  ])
  let borneOut = 0
  for (const [n, { text, cursor, trace_id }] of replies.entries()) {
    assert.isFalse(
      makesFalseClaim(text, { theirs: messages.slice(0, n + 1), own: replies.slice(0, n).map(({ text }) => text) }),
      `no turn says what is claimed in: ${text}`
    )
    const cited =
      trace.find(({ run_ref }) => run_ref === trace_id)?.stages.findLast(({ stage }) => stage === "generation")?.detail
        ?.cited_memory_ids ?? []
    if (cited.length > 0) borneOut++
    for (const id of cited) assert.isBelow(cursors.get(id) ?? Infinity, cursor, `${id} is no turn before: ${text}`)
  }

  assert.lengthOf(trace, messages.length)
  for (const row of trace) {
    assert.includeMembers(
      row.stages.map(({ stage }) => stage),
      STAGES,
      `turn ${row.turn_index}`
    )
    assert.strictEqual(row.stages.at(-1)?.stage, "relational_update")
    assert.strictEqual(
      Math.round(row.cost_usd * 1e6),
      Math.round(row.stages.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0) * 1e6)
    )
  }
  const [booked] = await server.database.sql`
      select coalesce(sum(amount_micro_usd), 0)::int as total from ledger where app_id = ${app.appId}
      and entry = 'settle'`
  assert.strictEqual(booked?.["total"], Math.round(trace.reduce((sum, { cost_usd }) => sum + cost_usd, 0) * 1e6))
  const books = await runTroupe({ DATABASE_URL: server.database.url }, ["ledger", "check", "--app", app.appId])
  assert.deepStrictEqual(JSON.parse(books.stdout), { turns: messages.length, mismatches: [] })
  return borneOut
}

describe("two hundred turns on the offline engine", () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer({ env: UNLIMITED })
  })
  afterAll(() => server.close())

  it("repeat no reply within ten turns, have no memory without a supporting turn, and have complete traces", async ({
    annotate
  }) => {
    const conversation = await converse(server, evening)
    const borneOut = await holds(server, evening, conversation)
    await annotate(`${borneOut} replies lean on a turn that they name`)
    assert.isAbove(borneOut, 5)
    const rebuilt = await runTroupe({ DATABASE_URL: server.database.url }, ["rebuild", conversation.session])
    assert.deepInclude(JSON.parse(rebuilt.stdout), { patches: TURNS, changed: false })
  })
})

const FACT = "my sister Nadia plays the cello"
const REPEATED = "The harbour was full of gulls this morning, all of them cross with the baker."
const INVENTED = "You told me that you bought a yacht in Monaco last summer."
/** Descriptions of two hundred days that share no words. */
const WORDS = [
  "salt",
  "rope",
  "gull",
  "kettle",
  "lamp",
  "stair",
  "bread",
  "fog",
  "tide",
  "ladder",
  "stove",
  "apple",
  "wool",
  "glass",
  "letter"
]
const distinct = (n: number) =>
  `${WORDS[n % 15]} ${n}, then ${WORDS[Math.floor(n / 15) % 15]} ${n * 7 + 1}, and a ` +
  `${WORDS[(n * 4 + 2) % 15]} for the ${WORDS[(n * 11 + 5) % 15]} of day ${n * 3}.`

/** The index that the prompt gives to the statement about the sister. */
const placeOf = ({ messages }: FakeRequest): string | undefined =>
  /"id":"([^"]+)"(?:(?!"id":).)*?Nadia plays the cello/s.exec(messages.map(({ content }) => content).join("\n"))?.[1]

describe("two hundred turns on a model that repeats itself and invents things", () => {
  let server: TestServer
  let model: FakeModel
  const asked = Array.from({ length: TURNS }, (_, n) =>
    n === 0
      ? FACT
      : n % 12 === 0
        ? "what does my sister Nadia play?"
        : `today I carried ${WORDS[n % 15]} number ${n} up the hill`
  )
  let answered = 0
  beforeAll(async () => {
    model = await start({
      otherwise: (request): Behaviour => {
        if (request.question !== "reply") return { kind: "ok" }
        const n = answered++
        const cited = placeOf(request)
        if (n % 12 === 5 || n % 12 === 8) return { kind: "ok", bubbles: [REPEATED] }
        if (n % 12 === 7) return { kind: "ok", bubbles: [INVENTED] }
        if (n % 6 === 0 && cited !== undefined)
          return {
            kind: "ok",
            reply: {
              bubbles: [`You told me that your sister Nadia plays the cello. Line ${n} of ${distinct(n)}`],
              cited_memory_ids: [cited]
            }
          }
        return { kind: "ok", bubbles: [distinct(n)] }
      }
    })
    server = await startTestServer({
      env: { ...UNLIMITED, OPENAI_BASE_URL: model.url, OPENAI_MODEL: "gpt-5-mini", OPENAI_ANALYZE_MODEL: "gpt-5-nano" }
    })
  })
  afterAll(async () => {
    await server.close()
    await model.close()
  })

  it("repeat no reply within ten turns, have no memory without a supporting turn, and have complete traces", async ({
    annotate
  }) => {
    const conversation = await converse(server, asked)
    const borneOut = await holds(server, asked, conversation)
    const refusals = conversation.trace.flatMap(({ stages }) =>
      stages.flatMap(({ decision }) => (decision?.startsWith("refused:") === true ? [decision] : []))
    )
    const counts = Object.entries(Object.groupBy(refusals, (gate) => gate)).map(([gate, all]) => [gate, all?.length])
    await annotate(
      `${borneOut} replies lean on a turn that they name; refused: ${JSON.stringify(Object.fromEntries(counts))}`
    )
    assert.isAbove(borneOut, 5)
    assert.include(refusals, "refused:unsupported_memory")
    assert.include(refusals, "refused:repetition")
    assert.isFalse(conversation.replies.some(({ text }) => text.includes("yacht")))
  })
})
