import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { assert, describe, inject, it } from "vitest"
import { openBackup } from "#src/db/operators/backup/readBackup.ts"
import { restoreBackup } from "#src/db/operators/backup/restoreBackup.ts"
import { writeBackup } from "#src/db/operators/backup/writeBackup.ts"
import { openPool } from "#src/db/postgres/postgres.ts"
import { dropDatabase } from "#test/support/postgres/dropDatabase.ts"
import { onDatabase } from "#test/support/postgres/onDatabase.ts"
import { createTestDatabase } from "#test/support/TestDatabase.ts"

const NEVER = { signal: new AbortController().signal, stallMs: 300_000 }

describe("a restore", () => {
  it("is not cut off by the limit on statements while it gathers statistics of large tables", async () => {
    const folder = mkdtempSync(join(tmpdir(), "troupe-restore-"))
    const file = join(folder, "troupe.backup")
    const source = await createTestDatabase()
    const from = openPool(source.url, 1)
    await writeBackup(from, file, new Date(), () => {}, NEVER)
    await from.end()
    await source.drop()

    const admin = postgres(inject("postgresUrl"), { max: 1, onnotice: () => {} })
    const name = `restored_${randomBytes(6).toString("hex")}`
    await admin`create database ${admin(name)}`
    const url = onDatabase(inject("postgresUrl"), name)
    const into = openPool(url, 1)
    // As with tables of many gigabytes: statistics take longer than a statement may.
    await into`set statement_timeout = '1s'`
    await into`set vacuum_cost_limit = 1`
    await into`set vacuum_cost_delay = '2ms'`
    const backup = await openBackup(file, () => {}, NEVER)
    await restoreBackup(
      into,
      url,
      backup,
      () => {},
      () => Promise.resolve(),
      NEVER
    )
    backup.close()
    const [analyzed] = await into<[{ tables: number }]>`
      select count(*)::int as tables from pg_class where relname = 'schema_migrations' and reltuples > 0`
    assert.strictEqual(analyzed.tables, 1)

    await into.end()
    await dropDatabase(admin, name)
    await admin.end()
    rmSync(folder, { recursive: true, force: true })
  })
})
