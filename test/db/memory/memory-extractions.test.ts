import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import postgres from "postgres"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import { newId } from "#pipeline/domain/Id.ts"
import { Outcome, type StageRecord } from "#pipeline/domain/Turn.ts"
import { EMPTY_PATCH, type Patch } from "#pipeline/relational/Patch.ts"
import type { Memory } from "#pipeline/relational/Relationship.ts"
import { CharacterVersions } from "#src/db/character/CharacterVersions.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { Relationships } from "#src/db/memory/Relationships.ts"
import { type MemoryExtraction, MemoryExtractions } from "#src/db/memory/MemoryExtractions.ts"
import { SessionStories } from "#src/db/memory/SessionStories.ts"
import { Turns } from "#src/db/conversation/Turns.ts"
import { type Engine, startEngine } from "#test/support/Engine.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { until } from "#test/support/until.ts"

let database: TestDatabase
let engine: Engine
const openRuntime = (url: string) =>
  ManagedRuntime.make(
    MemoryExtractions.layer.pipe(
      Layer.provide([CharacterVersions.layer, Relationships.layer, LogSignals.layer, Layer.mock(SessionStories, {})]),
      Layer.provide(Database.layer({ url: Redacted.make(url), maxConnections: 12 }))
    )
  )
let runtime: ReturnType<typeof openRuntime>
beforeAll(async () => {
  database = await createTestDatabase()
  engine = startEngine(database)
  runtime = openRuntime(database.url)
  await database.sql`insert into workers (worker_id) values ('wrk_1')`
})
afterAll(async () => {
  await runtime.dispose()
  await engine.close()
  await database.drop()
})

/** Sessions of one app, each with one answered turn. */
const answered = async (count: number) => {
  const appId = await engine.createApp()
  return Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const session = { appId, sessionId: await engine.createSession(appId, `user-${n}`) }
      await engine.send({ ...session, text: `I have ${n} cats.` })
      const row = await engine.run(Turns.use((turns) => turns.claim("wrk_1", session)))
      const lease = { ...session, turnIndex: 1, owner: "wrk_1", fence: row?.fence ?? 0 }
      await engine.run(
        Turns.use((turns) =>
          turns.settle({ lease, outcome: Outcome.cases.Replied.make({ bubbles: ["Really?"] }), stages: [] })
        )
      )
      return session
    })
  )
}
type TestSession = Awaited<ReturnType<typeof answered>>[number]

const COST = 5
const record: StageRecord = {
  stage: "relational_update",
  attempt: 1,
  startedAt: new Date(0),
  latencyMs: 1,
  status: "ok",
  decision: null,
  errorCode: null,
  detail: null,
  usage: { model: "test", inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, costMicroUsd: COST, estimated: false }
}
const memory = (text: string): Memory => ({
  id: newId("mem"),
  kind: "fact",
  subject: "user",
  about: null,
  text,
  importance: 5,
  confidence: 0.9,
  pinned: false,
  status: "active",
  valid_at: "2026-01-01T00:00:00.000Z",
  invalid_at: null,
  supersedes_id: null,
  linked_ids: [],
  evidence: [],
  source: "extracted",
  tombstone: null,
  recall_count: 0,
  last_recalled_at: null,
  created_at: "2026-01-01T00:00:00.000Z"
})
const noting = (text: string) => (): Patch => ({ ...EMPTY_PATCH, memories: [memory(text)] })

const next = (session: TestSession) => MemoryExtractions.use((turns) => turns.next(session))
const readingOf = Effect.fnUntraced(function* (session: TestSession, decide?: MemoryExtraction["decide"]) {
  const unread = yield* next(session)
  if (unread === undefined) throw new Error("there is nothing to be read")
  const { turn } = unread
  return {
    session: session,
    turn,
    hasStoryline: false,
    reservedMicroUsd: 0,
    at: turn.at,
    record,
    scores: () => null,
    decide: decide ?? noting(turn.message?.text ?? "")
  } satisfies MemoryExtraction
})
/** The result of each when all are written at once. */
const write = (readings: ReadonlyArray<MemoryExtraction>) =>
  runtime.runPromise(
    Effect.forEach(readings, (reading) => Effect.exit(MemoryExtractions.use((turns) => turns.write(reading))), {
      concurrency: "unbounded"
    })
  )
const read = async (
  places: ReadonlyArray<TestSession>,
  decide: (session: number) => MemoryExtraction["decide"] | undefined = () => undefined
) =>
  write(
    await runtime.runPromise(
      Effect.forEach(places, (session, n) => readingOf(session, decide(n)), { concurrency: "unbounded" })
    )
  )

const standing = async (places: ReadonlyArray<TestSession>) => {
  const rows = await database.sql`
    select r.read_turn, (select json_agg(text) from memories m where m.session_id = w.session_id) as memories,
      (select count(*)::int from relational_patches p where p.session_id = w.session_id) as patches,
      (select sum(amount_micro_usd)::int from ledger l where l.session_id = w.session_id
        and l.entry = 'settle') as booked,
      (select count(*)::int from turn_stages g where g.session_id = w.session_id
        and g.stage = 'relational_update') as stages, t.cost_micro_usd::int as cost
    from unnest(${places.map(({ sessionId }) => sessionId)}::text[]) with ordinality as w(session_id, n) left
      join relationships r using (session_id) left join turns t using (session_id) order by n`
  return [...rows]
}
const once = (text: string) => ({ read_turn: 1, memories: [text], patches: 1, booked: COST, stages: 1, cost: COST })

describe("memory extractions of many sessions in one batch", () => {
  it("are found together and written in few transactions, each to its own session, and each paid once", async () => {
    const places = await answered(40)
    assert.deepStrictEqual(
      await read(places),
      places.map(() => Exit.void)
    )
    assert.deepStrictEqual(
      await standing(places),
      places.map((_, n) => once(`I have ${n} cats.`))
    )
    const [row] = await database.sql`
        select count(distinct xmin::text)::int as transactions from relational_patches
        where app_id = ${places[0]?.appId ?? ""}`
    assert.strictEqual(row?.["transactions"], 2)
    assert.deepStrictEqual(
      await runtime.runPromise(Effect.forEach(places, next)),
      places.map(() => undefined)
    )
  })

  it("use at most two connections, so that requests can always get one", async () => {
    const places = await answered(70)
    const readings = await runtime.runPromise(
      Effect.forEach(places.slice(35), (session) => readingOf(session), { concurrency: "unbounded" })
    )
    const blocker = postgres(database.url, { max: 1, onnotice: () => {} })
    const waiting = async () =>
      (
        await database.sql`
          select pid from pg_stat_activity where datname = current_database() and application_name = 'troupe'
          and state = 'active' and wait_event_type = 'Lock'`
      ).length
    try {
      let written: ReturnType<typeof write> | undefined
      let found: Promise<unknown> | undefined
      await blocker.begin(async (sql) => {
        await sql`lock table relationships in access exclusive mode`
        written = write(readings)
        found = runtime.runPromise(Effect.forEach(places.slice(0, 35), next, { concurrency: "unbounded" }))
        await until("both to be at the database", async () => (await waiting()) === 2)
        // One more batch of each is due by now.
        await until(
          "every open connection to wait or to be idle",
          async () =>
            (
              await database.sql`
                select 1 from pg_stat_activity where datname = current_database() and application_name = 'troupe'
                and state = 'active' and wait_event_type is distinct from 'Lock'`
            ).length === 0
        )
        assert.strictEqual(await waiting(), 2)
      })
      await Promise.all([written, found])
    } finally {
      await blocker.end()
    }
    assert.deepStrictEqual(
      await standing(places.slice(35)),
      readings.map((_, n) => once(`I have ${n + 35} cats.`))
    )
  })

  it("are not affected by an extraction that cannot be parsed or that the database rejects", async () => {
    const places = await answered(4)
    const exits = await read(places, (n) =>
      n === 1
        ? () => {
            throw new Error("what is this?")
          }
        : n === 2
          ? noting("a \u0000 in it")
          : undefined
    )
    assert.deepStrictEqual(
      exits.map((exit) => Exit.isSuccess(exit)),
      [true, false, false, true]
    )
    const [, unreadable, untakable] = exits.map((exit) => (Exit.isFailure(exit) ? Cause.squash(exit.cause) : null))
    assert.deepInclude(unreadable, { message: "what is this?" })
    assert.deepInclude(untakable, { _tag: "DatabaseError", reason: "refused", sqlState: "22P05" })
    const nothing = { read_turn: null, memories: null, patches: 0, booked: 0, stages: 0, cost: 0 }
    assert.deepStrictEqual(await standing(places), [once("I have 0 cats."), nothing, nothing, once("I have 3 cats.")])
  })

  it("skip a session that was erased meanwhile", async () => {
    const places = await answered(2)
    const [gone, kept] = await runtime.runPromise(Effect.forEach(places, (session) => readingOf(session)))
    if (gone === undefined || kept === undefined) throw new Error("there is nothing to be read")
    await database.sql`delete from session_logs where session_id = ${gone.session.sessionId}`
    assert.deepStrictEqual(await write([gone, kept]), [Exit.void, Exit.void])
    assert.deepStrictEqual(
      (await standing(places)).map((row) => row["patches"]),
      [0, 1]
    )
  })

  it("count once if two workers extract the same turn, and both are paid", async () => {
    const places = await answered(2)
    const [first, other] = await runtime.runPromise(Effect.forEach(places, (session) => readingOf(session)))
    if (first === undefined || other === undefined) throw new Error("there is nothing to be read")
    assert.deepStrictEqual(await write([first, other, { ...first, decide: noting("I have no cats.") }]), [
      Exit.void,
      Exit.void,
      Exit.void
    ])
    assert.deepStrictEqual(await standing(places), [
      { ...once("I have 0 cats."), booked: 2 * COST, stages: 2, cost: 2 * COST },
      once("I have 1 cats.")
    ])
  })
})
