import { randomUUID } from "node:crypto"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { base64, cardV3, picture, zipOf } from "#test/support/cards.ts"
import { createAppIn } from "#test/support/createAppIn.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { startTroupe } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

let database: TestDatabase
let folder: string
beforeAll(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), "troupe-import-"))
})
afterAll(async () => {
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

/** Locks a table against writers until it is released, and reports when one waits. */
const hold = async (table: "imports" | "assets") => {
  const { promise: over, resolve: letGo } = Promise.withResolvers<void>()
  const { promise: isHeld, resolve: held } = Promise.withResolvers<void>()
  const done = database.sql.begin(async (sql) => {
    await sql`lock table ${sql(table)} in exclusive mode`
    held()
    await over
  })
  await isHeld
  return {
    somebodyWaits: () =>
      until(
        `a writer of ${table}`,
        async () =>
          (
            await database.sql`
              select 1 from pg_locks where not granted and relation = ${table}::regclass
              and database = (select oid from pg_database where datname = current_database())`
          ).length > 0
      ),
    letGo: async () => {
      letGo()
      await done
    }
  }
}

describe("a process that is killed while it commits an import", () => {
  it("leaves nothing visible, a second commit succeeds, and the leftover pictures are deleted", async () => {
    const env = { DATABASE_URL: database.url, SECRETS_KEY, STORAGE_DIR: folder }
    const { appId, key } = await createAppIn(database.sql)
    const slug = "mara"
    const chronicle = Array.from({ length: 90 }, (_, n) => `In the year ${1800 + n} the river rose to the ${n}th step.`)
    const description = `Mara keeps an inn.\nAppearance: grey braid\n\n${chronicle.join("\n\n")}`
    const assets = [
      { type: "icon", uri: "embeded://a.png", name: "main", ext: "png" },
      { type: "emotion", uri: "embeded://b.png", name: "joy", ext: "png" }
    ]
    const content_base64 = base64(
      await zipOf({
        "card.json": cardV3({ description, assets }),
        "a.png": await picture("png", 40, 60),
        "b.png": await picture()
      })
    )
    const headers = { "idempotency-key": randomUUID() }
    const files = async () => (await readdir(folder, { recursive: true })).filter((file) => file.includes("obj_"))

    let process = await startTroupe(env)
    let app = new TestApp(process.baseUrl, appId, key)
    const staged = (await app.post("/v1/imports", { content_base64, target_slug: slug })).body.data
    const { id, content_hash, bundle } = (
      await app.patch(`/v1/imports/${staged.id}`, {
        accept_warnings: staged.report.warnings.map(({ code }: { code: string }) => code)
      })
    ).body.data
    assert.isNotEmpty(bundle.evidence)
    // With its pictures stored and nothing else written; and with half of the rows written.
    for (const [place, table] of (["imports", "assets"] as const).entries()) {
      const { somebodyWaits, letGo } = await hold(table)
      const lost = app.post(`/v1/imports/${id}/commit`, { content_hash }, headers).then(
        () => false,
        () => true
      )
      await somebodyWaits()
      assert.lengthOf(await files(), 2 * (place + 1), table)
      await process.stop("SIGKILL")
      await letGo()
      assert.isTrue(await lost)
      process = await startTroupe(env)
      app = new TestApp(process.baseUrl, appId, key)
      assert.strictEqual((await app.get(`/v1/imports/${id}`)).body.data.status, "ready")
      assert.strictEqual((await app.get(`/v1/characters/${slug}`)).status, 404)
      for (const rows of [
        "characters",
        "character_versions",
        "evidence",
        "evidence_chunks",
        "evidence_terms",
        "assets",
        "visual_identities"
      ]) {
        assert.isEmpty(await database.sql`select 1 from ${database.sql(rows)} where app_id = ${appId}`, rows)
      }
    }

    try {
      const committed = await app.post(`/v1/imports/${id}/commit`, { content_hash }, headers)
      assert.strictEqual(committed.status, 200, JSON.stringify(committed.body))
      assert.lengthOf((await app.get(`/v1/characters/${slug}/evidence`)).body.data.evidence, bundle.evidence.length)
      assert.lengthOf(await files(), 6)
      await database.sql`update stored_objects set changed_at = now() - interval '2 hours'`
      await database.sql`select graphile_worker.add_job('objects', '{}'::json)`
      await until("the pictures of killed processes to be deleted", async () => (await files()).length === 2)
      const own = (await app.get(`/v1/characters/${slug}/assets`)).body.data.assets
      assert.lengthOf(own, 2)
      for (const { content_url } of own) assert.strictEqual((await fetch(content_url)).status, 200)
    } finally {
      await process.stop("SIGTERM")
    }
  })
})
