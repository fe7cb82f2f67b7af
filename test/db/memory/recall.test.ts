import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import type { EndUser, Turn } from "#pipeline/domain/Turn.ts"
import { Recall } from "#pipeline/retrieval/Recall.ts"
import { recallQuery } from "#pipeline/retrieval/recallQuery.ts"
import { Database } from "#src/db/postgres/Database.ts"
import * as PostgresRecall from "#src/db/memory/PostgresRecall.ts"
import { allTables } from "#src/db/catalogue/allTables.ts"
import { Tables } from "#src/db/postgres/catalogue/Tables.ts"
import { Retention } from "#src/db/privacy/Retention.ts"
import { dictionaryFor } from "#src/db/memory/stemming.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { historyOf, turnOf } from "#test/support/conversation/turns.ts"

let database: TestDatabase
const openRuntime = (url: string) =>
  ManagedRuntime.make(
    Layer.mergeAll(
      PostgresRecall.layer,
      Retention.layer({
        attempts: Duration.days(30),
        log: Duration.days(1),
        turns: null,
        evals: null,
        batches: null,
        imports: null
      })
    ).pipe(
      Layer.provide(Layer.succeed(Tables, allTables)),
      Layer.provide(Database.layer({ url: Redacted.make(url), maxConnections: 4 })),
      Layer.provide(Layer.succeed(References.MinimumLogLevel, "None"))
    )
  )
let runtime: ReturnType<typeof openRuntime>
beforeAll(async () => {
  database = await createTestDatabase()
  runtime = openRuntime(database.url)
})
afterAll(async () => {
  await runtime.dispose()
  await database.drop()
})

let sessions = 0
/** A session with these alternating messages, followed by a hundred irrelevant ones. */
const session = async (said: ReadonlyArray<string>, given: { readonly app?: string; readonly id?: string } = {}) => {
  const app = given.app ?? "app_1"
  const id = given.id ?? `ses_${++sessions}`
  const all = [
    ...said,
    ...Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? `nothing much, number ${i}` : `fine then, ${i}`))
  ]
  await database.sql`
    insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
    select ${app}, ${id}, n, 'evt_' || n, 'message.created', case when n % 2 = 1 then 'user' else 'character'
      end, 'run', 'api', json_build_object('text', text)
    from unnest(${all}::text[]) with ordinality as s(text, n)`
  return { app, id, said: all.length }
}
type TestSession = Awaited<ReturnType<typeof session>>

const turnIn = ({ app, id }: TestSession, text: string, endUser: Partial<EndUser> = {}): Turn =>
  turnOf({
    appId: app,
    sessionId: id,
    text,
    endUser: { externalUserRef: "u", displayName: null, timezone: null, locale: null, ageBand: "unknown", ...endUser }
  })
const search = async (
  from: TestSession,
  text: string,
  given: { readonly endUser?: Partial<EndUser>; readonly before?: ReadonlyArray<string>; readonly oldest?: number } = {}
) => {
  const oldest = given.oldest ?? from.said - 23
  const { found, failed } = await runtime.runPromise(
    Recall.use((recall) =>
      recall.search({
        turn: turnIn(from, text, given.endUser),
        terms: recallQuery(text, historyOf(...(given.before ?? []))),
        before: oldest,
        indexTo: oldest + 15,
        limit: 20
      })
    )
  )
  assert.isFalse(failed)
  return found
}
const best = async (...args: Parameters<typeof search>) => (await search(...args))[0]?.text
const docsOf = async ({ id }: TestSession) =>
  (
    await database.sql<Array<{ docs: number; to: number }>>`
      select sum(cardinality(cursors))::int as docs, max(cursors[cardinality(cursors)])::int as to from memory_blocks
      where session_id = ${id}`
  )[0]

describe("recall", () => {
  it("finds an old message by another form of its words", async () => {
    const from = await session([
      "my sister plays the cello in an orchestra",
      "Does she?",
      "we adopted two puppies",
      "Names?"
    ])
    assert.strictEqual(await best(from, "who was playing in orchestras?"), "my sister plays the cello in an orchestra")
    assert.strictEqual(await best(from, "how is the puppy I adopted"), "we adopted two puppies")
  })

  it("finds an answer through the question before it", async () => {
    const from = await session([
      "hello",
      "What is your dog called?",
      "Biscuit",
      "And your cat?",
      "none of those",
      "Right."
    ])
    assert.includeMembers(
      (await search(from, "do you remember my dog?")).slice(0, 3).map(({ text }) => text),
      ["Biscuit", "What is your dog called?"]
    )
  })

  it("resolves a pronoun through the names that were just mentioned", async () => {
    const from = await session(["Nadia broke her wrist on the ice", "Ouch.", "the tram was late", "It always is."])
    assert.strictEqual(
      await best(from, "how's she doing?", { before: ["i saw my sister Nadia today", "And?"] }),
      "Nadia broke her wrist on the ice"
    )
  })

  it.each([
    ["German", { locale: "de-AT" }, "wir haben zwei Hunde und einen Garten", "wie geht es dem Hund?"],
    ["Portuguese", { locale: "pt" }, "comprei uma bicicleta azul", "lembras-te das minhas bicicletas?"],
    ["Russian", { locale: "ru" }, "моя сестра играет на виолончели", "что делает сестру счастливой?"],
    ["Japanese", { locale: "ja" }, "昨日、東京タワーに行きました", "東京はどうでしたか"],
    ["Chinese", { locale: "zh" }, "我的猫叫小黑", "你记得我的猫吗"]
  ])("works in %s", async (_, endUser, said, asked) => {
    const from = await session([said, "…"])
    assert.strictEqual(await best(from, asked, { endUser }), said)
  })

  it("gives the best result a score of 1, and returns nothing that is in the history", async () => {
    const from = await session(["the harbour froze", "Brr.", "a harbour pilot came", "Who?"])
    const found = await search(from, "harbour")
    assert.strictEqual(found[0]?.score, 1)
    assert.isTrue(found.every(({ cursor, score }) => cursor < from.said - 23 && score <= 1))
    assert.deepStrictEqual(await search(from, "zebra crossing"), [])
    assert.deepStrictEqual(await search(from, "the and of"), [])
  })

  it("searches only its own session of its own app", async () => {
    const mine = await session(["my password is swordfish", "Noted."], { id: "ses_shared" })
    const theirs = await session(["I grow tomatoes", "Nice."], { app: "app_2", id: "ses_shared" })
    const other = await session(["I grow peppers", "Nice."])
    assert.deepStrictEqual(
      (await search(theirs, "swordfish password")).map(({ text }) => text),
      []
    )
    assert.deepStrictEqual(
      (await search(other, "swordfish tomatoes")).map(({ text }) => text),
      []
    )
    assert.strictEqual(await best(mine, "swordfish"), "my password is swordfish")
  })

  it("indexes only what is about to leave the history, once", async () => {
    const from = await session(["the harbour froze", "Brr."])
    await search(from, "harbour", { oldest: 3 })
    assert.deepStrictEqual(await docsOf(from), { docs: 18, to: 18 })
    await search(from, "harbour", { oldest: 18 })
    assert.deepStrictEqual(await docsOf(from), { docs: 18, to: 18 })
    await search(from, "harbour", { oldest: 19 })
    assert.deepStrictEqual(await docsOf(from), { docs: 34, to: 34 })
  })

  it("indexes a message only once if two processes do it at the same time", async () => {
    const from = await session(["the harbour froze", "Brr."])
    await Promise.all(Array.from({ length: 6 }, () => search(from, "harbour")))
    const [row] = await database.sql`
        select count(*)::int as docs, count(distinct cursor)::int as cursors,
        (select max(first_doc + cardinality(cursors)) - 1 from memory_blocks where session_id = ${from.id}) as last
        from memory_blocks, unnest(cursors) as c(cursor) where session_id = ${from.id}`
    assert.deepStrictEqual({ ...row }, { docs: from.said - 8, cursors: from.said - 8, last: from.said - 8 })
  })

  it("finds nothing and reports a failure if the database does not answer", async () => {
    const gone = openRuntime("postgres://127.0.0.1:1/none")
    const answer = await gone.runPromise(
      Recall.use((recall) =>
        recall.search({ turn: turnOf({}), terms: [{ term: "x", weight: 1 }], before: 30, indexTo: 45, limit: 5 })
      )
    )
    assert.deepStrictEqual(answer, { found: [], failed: true })
    await gone.dispose()
  })

  it("drops what retention removes from the log", async () => {
    const from = await session(["the harbour froze", "Brr."], { app: "app_kept" })
    await search(from, "harbour")
    await database.sql`insert into apps (app_id, name) values ('app_kept', 'kept')`
    await database.sql`insert into characters (app_id, slug, version) values ('app_kept', 'ada', 1)`
    await database.sql`insert into end_users (app_id, external_user_ref) values ('app_kept', 'u')`
    await database.sql`
      insert into sessions (app_id, session_id, character_slug, external_user_ref, proactive_controls, metadata)
      values ('app_kept', ${from.id}, 'ada', 'u', '{}', '{}')`
    await database.sql`
      insert into session_logs (app_id, session_id, last_cursor) values ('app_kept', ${from.id}, ${from.said})`
    await database.sql`
      update events set created_at = now() - interval '3 days' where app_id = 'app_kept' and cursor <= 40`
    await database.sql`
      insert into utterance_vectors (app_id, session_id, model, cursor, vector)
      select 'app_kept', ${from.id}, 'any', cursor, 'vector' from generate_series(1, 60) as cursor`
    await runtime.runPromise(Retention.use((retention) => retention.apply))
    const [row] = await database.sql`
      select (select min(doc) from memory_terms where session_id = ${from.id}) as first,
        (select min(cursor)::int from utterance_vectors where session_id = ${from.id}) as vector`
    assert.deepStrictEqual({ ...row }, { first: 41, vector: 41 })
    assert.deepStrictEqual(await search(from, "harbour"), [])
    assert.isTrue((await search(from, "number")).every(({ cursor }) => cursor > 40))
  })
})

describe("the dictionary", () => {
  it.each([
    [["de-AT", "en"], "german_stem"],
    [[null, "pt-BR"], "portuguese_stem"],
    [[null], "english_stem"],
    [["", undefined], "english_stem"],
    [["ja"], "simple"],
    [["xx", "en"], "english_stem"]
  ])("for %j is %s", (tags, dictionary) => assert.strictEqual(dictionaryFor(tags), dictionary))
})
