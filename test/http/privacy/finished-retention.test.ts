import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { newId } from "#pipeline/domain/Id.ts"
import { allTables } from "#src/db/catalogue/allTables.ts"
import { Tables } from "#src/db/postgres/catalogue/Tables.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { Retention, type RetentionOptions } from "#src/db/privacy/Retention.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
let app: TestApp
beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
})
afterAll(() => server.close())

const MONTH = Duration.days(30)
const retain = (options: Partial<RetentionOptions>) =>
  Effect.runPromise(
    Retention.use((retention) => retention.apply).pipe(
      Effect.provide(
        Retention.layer({
          attempts: MONTH,
          log: null,
          turns: null,
          evals: null,
          batches: null,
          imports: null,
          ...options
        }).pipe(
          Layer.provide(Layer.succeed(Tables, allTables)),
          Layer.provide(Database.layer({ url: Redacted.make(server.database.url), maxConnections: 2 }))
        )
      )
    )
  )
/** The statuses of these resources, in order. */
const statuses = (paths: ReadonlyArray<string>) => Promise.all(paths.map(async (path) => (await app.get(path)).status))

describe("runs of evals with limited retention", () => {
  it("go with their results, unless they are open or a kept run refers to them", async () => {
    const { sql } = server.database
    const insert = async (age: string | null, baseline: string | null = null, regrade: string | null = null) => {
      const run = newId("evr")
      await sql`insert into eval_runs (app_id, run_id, suite_id, status, character_slug, character_version, reply_mode,
        engine, repeats, seed, cases, gates, max_cost_micro_usd, baseline_run_id, regrade_of, finished_at)
        values (${app.appId}, ${run}, 'evs_1', ${age === null ? "queued" : "completed"}, 'ada', 1, 'fast', 'offline',
          1, 1, '[]', '[]', 0, ${baseline}, ${regrade}, now() - ${age}::interval)`
      await sql`insert into eval_results (app_id, run_id, place, case_key, repeat)
        values (${app.appId}, ${run}, 1, 'a', 1)`
      return run
    }
    const old = await insert("40 days")
    const compared = await insert("41 days")
    const regraded = await insert("42 days")
    const ofOld = await insert("43 days", null, null)
    await insert("40 days", ofOld)
    const recent = await insert("20 days", compared)
    const open = await insert(null, null, regraded)
    const many = await Promise.all(Array.from({ length: 50 }, () => insert("50 days")))
    await retain({})
    assert.deepStrictEqual(await statuses([`/v1/evals/runs/${old}`]), [200])
    await retain({ evals: MONTH })
    const left = await sql`select run_id from eval_runs where app_id = ${app.appId}`
    assert.sameMembers(
      left.map((row) => row["run_id"]),
      [compared, regraded, recent, open]
    )
    assert.lengthOf(await sql`select 1 from eval_results where app_id = ${app.appId}`, 4)
    assert.deepStrictEqual(
      await statuses([old, many[0], recent].map((run) => `/v1/evals/runs/${run}`)),
      [404, 404, 200]
    )
  })
})

describe("batches with limited retention", () => {
  it("go with their items once all are finished and no link of theirs is open", async () => {
    const { sql } = server.database
    const insert = async (age: string, status: string) => {
      const batch = newId("bat")
      await sql`insert into telegram_batches (app_id, batch_id, action, dry_run, hooks_at, created_at)
        values (${app.appId}, ${batch}, 'suspend', false, '', now() - ${age}::interval)`
      for (const [item, of] of [
        ["1", "done"],
        ["2", status]
      ])
        await sql`insert into telegram_batch_items (app_id, batch_id, item, channel_id, kind, status, due_at)
          values (${app.appId}, ${batch}, ${item!}, ${`chn_${batch}`}, 'change', ${of!}, now() + interval '1 day')`
      return batch
    }
    await insert("40 days", "done")
    await insert("40 days", "failed")
    const pending = await insert("40 days", "pending")
    const recent = await insert("20 days", "done")
    const linked = await insert("40 days", "done")
    await sql`insert into telegram_provisionings (app_id, channel_id, suggested_name, suggested_username, is_random,
      claim_hash, expires_at)
      values (${app.appId}, ${`chn_${linked}`}, 'A', 'a_bot', true, '', now() + interval '1 day')`
    await retain({ batches: MONTH })
    const left = await sql`select batch_id from telegram_batches`
    assert.sameMembers(
      left.map((row) => row["batch_id"]),
      [pending, recent, linked]
    )
    assert.lengthOf(await sql`select 1 from telegram_batch_items`, 6)
  })
})

describe("committed imports with limited retention", () => {
  it("go, except for the last one of each character", async () => {
    const { sql } = server.database
    const slug = await app.createCharacter()
    const insert = async (age: string, status = "committed") => {
      const id = newId("imp")
      await sql`insert into imports (app_id, import_id, status, mode, format, filename, report, character_slug,
        expires_at, committed_at) values (${app.appId}, ${id}, ${status}, 'update', 'troupe', 'a.json',
        '{"findings":[],"dropped":[]}', ${slug}, now() + interval '1 day', now() - ${age}::interval)`
      return id
    }
    const [first, last, recent] = [await insert("50 days"), await insert("40 days"), await insert("20 days")]
    await sql`update characters set import_id = ${last} where app_id = ${app.appId} and slug = ${slug}`
    const other = await insert("50 days", "ready")
    await retain({ imports: MONTH })
    const left = (await sql`select import_id from imports where app_id = ${app.appId}`).map((row) => row["import_id"])
    assert.sameMembers(left, [last, recent, other])
    assert.deepStrictEqual(await statuses([`/v1/imports/${first}`]), [404])
    assert.strictEqual((await app.get(`/v1/characters/${slug}/export`)).status, 200)
  })
})
