import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type AuditFilter, OperatorAudit } from "#src/db/operators/OperatorAudit.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

const ENTRIES = 60_000
const LIMIT = 20
const ANY: AuditFilter = {
  actorKind: null,
  actor: null,
  action: null,
  appId: null,
  subject: null,
  since: null,
  until: null
}

let database: TestDatabase
const open = () =>
  ManagedRuntime.make(
    // One connection, whose statistics can be flushed.
    OperatorAudit.layer.pipe(
      Layer.provideMerge(Database.layer({ url: Redacted.make(database.url), maxConnections: 1 }))
    )
  )
let runtime: ReturnType<typeof open>

beforeAll(async () => {
  database = await createTestDatabase()
  await database.sql`
    insert into audit_log (account_id, entry_id, actor_kind, actor, action, app_id, subject, detail)
    select 'acc_1', 'aud_' || lpad(i::text, 26, '0'), case when i = 1 then 'person' else 'operator' end, 'op_' || i % 3,
      (array['bot.suspend', 'channel.resume'])[i % 2 + 1], 'app_' || i % 3, 'bot_' || i, '{}'
    from generate_series(1, ${ENTRIES}::int) i`
  await database.sql.unsafe("vacuum analyze audit_log")
  runtime = open()
})
afterAll(async () => {
  await runtime.dispose()
  await database.drop()
})

const run = <A>(effect: Effect.Effect<A, unknown, Database | OperatorAudit>) => runtime.runPromise(Effect.orDie(effect))
const read = async (): Promise<number> => {
  await run(Database.use(({ query }) => query((sql) => sql`select pg_stat_force_next_flush()`)))
  await run(Database.use(({ query }) => query((sql) => sql`select 1`)))
  const [row] = await database.sql<[{ read: number }]>`
    select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_user_tables
    where relname = 'audit_log'`
  return row.read
}
const list = (filter: Partial<AuditFilter>) =>
  run(OperatorAudit.use((audit) => audit.list({ ...ANY, ...filter }, { before: null, limit: LIMIT })))

describe("the audit log, filtered by operators", () => {
  it.each<[string, Partial<AuditFilter>, number]>([
    ["an action that occurs", { action: "bot.suspend" }, LIMIT],
    ["an action that does not", { action: "bot.unheard" }, 0],
    ["a kind of actor that occurs once", { actorKind: "person" }, 1],
    ["a kind of actor that does not", { actorKind: "account_token" }, 0],
    ["an actor that does not", { actor: "op_9" }, 0],
    ["an app that does not", { appId: "app_9" }, 0],
    ["one subject", { subject: "bot_7" }, 1],
    ["one subject and an action of others", { subject: "bot_7", action: "nothing" }, 0]
  ])("reads no more entries than the page has: %s", async (_, filter, count) => {
    // After five runs, PostgreSQL may choose one plan for all values.
    for (let n = 0; n < 8; n++) await list(filter)
    const before = await read()
    assert.lengthOf(await list(filter), count)
    assert.isAtMost((await read()) - before, LIMIT)
  })

  it("is in the order of time, newest first", async () => {
    const ids = (await list({ action: "bot.suspend" })).map(({ entry_id }) => entry_id)
    assert.deepStrictEqual(ids, ids.toSorted().toReversed())
    assert.strictEqual(ids[0], `aud_${String(ENTRIES).padStart(26, "0")}`)
  })
})
