import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { dropDatabase } from "#test/support/postgres/dropDatabase.ts"
import { openGate } from "#test/support/postgres/gate.ts"
import { onDatabase } from "#test/support/postgres/onDatabase.ts"
import { onDisk } from "#test/support/postgres/onDisk.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { runTroupe, startCommand } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

/** Contents of a megabyte each, so that copying them takes a while and space. */
const PICTURES = 150

const isRoot = process.getuid?.() === 0
const folder = mkdtempSync(join(tmpdir(), "troupe-backup-faults-"))
const file = join(folder, "troupe.backup")
const admin = postgres(inject("postgresUrl"), { max: 1, onnotice: () => {} })
const named = (kind: string) => `${kind}_${randomBytes(6).toString("hex")}`
const [source, target] = [named("source"), named("target")]
const urlOf = (name: string) => onDatabase(inject("postgresUrl"), name)
const into = { DATABASE_URL: urlOf(target), SECRETS_KEY }
let restored: postgres.Sql

const createTarget = async () => {
  await admin`create database ${admin(target)}`
  restored = postgres(urlOf(target), { max: 1, onnotice: () => {} })
}
beforeAll(async () => {
  await admin`create database ${admin(source)} template troupe_template strategy file_copy`
  await createTarget()
  const sql = postgres(urlOf(source), { max: 1, onnotice: () => {} })
  await sql`insert into object_contents (app_id, object_key, content)
    select 'app_1', 'obj_' || n, convert_to(repeat('picture ', 131072), 'utf8') from generate_series(1, ${PICTURES}) n`
  await sql.end()
  const { code, stderr } = await runTroupe({ DATABASE_URL: urlOf(source) }, ["backup", file])
  assert.strictEqual(code, 0, stderr)
})
afterAll(async () => {
  await restored.end({ timeout: 1 })
  for (const name of [source, target]) await dropDatabase(admin, name)
  await admin.end({ timeout: 1 })
  rmSync(folder, { recursive: true, force: true })
})

const tables = async () =>
  (await restored`select relname from pg_class where relnamespace = 'public'::regnamespace`).map(
    (row) => row["relname"]
  )

describe("a backup file that was cut off", () => {
  it("is refused by verify and restore wherever it ends, and nothing is restored", async () => {
    const bytes = readFileSync(file)
    const cut = join(folder, "cut.backup")
    for (const length of [0, 1, 100, Math.floor(bytes.length / 2), bytes.length - 1]) {
      writeFileSync(cut, bytes.subarray(0, length))
      for (const command of ["verify", "restore"]) {
        const { code, stdout, stderr } = await runTroupe(into, [command, cut])
        assert.deepStrictEqual([code, stdout, stderr.trim().split("\n").length], [1, "", 1], `${command} ${length}`)
        assert.match(stderr, /^troupe: .*is not a complete backup/, `${command} ${length}`)
      }
    }
    assert.deepStrictEqual(await tables(), [])
  })
})

describe("a backup whose database falls silent", () => {
  it("ends after half a minute with one line, and leaves no file", async () => {
    await until("a backup to be cut off while it copies pictures", async () => {
      const gate = await openGate(urlOf(source))
      const silent = mkdtempSync(join(folder, "silent-"))
      const { exit, stdout, stderr } = startCommand({ DATABASE_URL: gate.url }, ["backup", join(silent, "b.backup")])
      let isOver = false
      const ended = exit.finally(() => {
        isOver = true
      })
      await until("the backup to copy pictures", async () => {
        const copying = await admin`select 1 from pg_stat_progress_copy
          where datname = ${source} and tuples_processed between 1 and ${PICTURES - 1}`
        return copying.length > 0 || isOver
      })
      gate.fallSilent()
      const code = await ended
      gate.close()
      // It was over before anybody looked.
      if (code === 0) return false
      assert.deepStrictEqual([code, stdout()], [1, ""])
      assert.match(stderr(), /^troupe: no byte has passed for 30 s: .*\n$/)
      assert.deepStrictEqual(readdirSync(silent), [])
      return true
    })
  })

  it("is written to a new file that only its owner can read, whatever lies beside it", async () => {
    const own = mkdtempSync(join(folder, "own-"))
    const other = join(own, "other")
    writeFileSync(other, "not a backup", { mode: 0o644 })
    symlinkSync(other, join(own, "b.backup.partial"))
    const { code, stderr } = await runTroupe({ DATABASE_URL: urlOf(source) }, ["backup", join(own, "b.backup")])
    assert.strictEqual(code, 0, stderr)
    assert.strictEqual(readFileSync(other, "utf8"), "not a backup")
    assert.strictEqual(statSync(join(own, "b.backup")).mode & 0o777, 0o600)
    assert.deepStrictEqual(readdirSync(own).toSorted(), ["b.backup", "b.backup.partial", "other"])
  })
})

describe("a restore that is killed in the middle of a table", () => {
  it("leaves nothing, and can be repeated", async () => {
    await until("a restore to be killed while it copies pictures", async () => {
      const { child, stderr, exit } = startCommand(into, ["restore", file])
      let isOver = false
      const ended = exit.finally(() => {
        isOver = true
      })
      // Progress of a copy is visible to others, though its rows are not.
      await until("the restore to copy pictures", async () => {
        const copying = await admin`select 1 from pg_stat_progress_copy
          where datname = ${target} and tuples_processed between 1 and ${PICTURES - 1}`
        return copying.length > 0 || isOver
      })
      child.kill("SIGKILL")
      const code = await ended
      if (code === "SIGKILL") return true
      // It was over before anybody looked: once more, into an empty database.
      assert.strictEqual(code, 0, stderr())
      await restored.end({ timeout: 1 })
      await dropDatabase(admin, target)
      await createTarget()
      return false
    })
    await until("the connection to end", async () =>
      (await admin`select 1 from pg_stat_activity where datname = ${target} and application_name = 'troupe'`).length ===
      0
        ? true
        : undefined
    )
    assert.deepStrictEqual(await tables(), [])
    const { code, stderr } = await runTroupe(into, ["restore", file])
    assert.strictEqual(code, 0, stderr)
    const [counted] = await restored`select count(*)::int as n from object_contents`
    assert.deepStrictEqual(counted, { n: PICTURES })
  })
})

describe.skipIf(!isRoot)("a full disk (as root: mounts a tmpfs)", () => {
  it("ends a backup with one line, and leaves no file", async () => {
    assert.isAbove(statSync(file).size, 256 * 1024)
    await onDisk(256, async (disk) => {
      const full = join(disk, "full.backup")
      const { code, stdout, stderr } = await runTroupe({ DATABASE_URL: urlOf(source) }, ["backup", full])
      assert.deepStrictEqual([code, stdout, stderr.trim().split("\n").length], [1, "", 1], stderr)
      assert.match(stderr, /no space left/i)
      assert.deepStrictEqual(readdirSync(disk), [])
    })
  })

  it("ends a restore with one line, and nothing is restored: with more space it works", () =>
    onDisk(200 * 1024, async (disk) => {
      const data = { DATA_DIR: join(disk, "data"), SECRETS_KEY, DATABASE_URL: "" }
      mkdirSync(data.DATA_DIR)
      const failed = await runTroupe(data, ["restore", file])
      assert.strictEqual(failed.code, 1, failed.stderr)
      assert.strictEqual(failed.stdout, "")
      // What the embedded server does while it is left is logged after it.
      assert.lengthOf(
        failed.stderr.split("\n").filter((line) => line.startsWith("troupe: ")),
        1,
        failed.stderr
      )
      execFileSync("mount", ["-o", "remount,size=1000m", disk])
      // It refuses a database that is not empty.
      const again = await runTroupe(data, ["restore", file])
      assert.strictEqual(again.code, 0, again.stderr)
      assert.include(again.stdout, '"restored":true')
    }))
})
