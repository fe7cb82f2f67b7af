import { execFileSync } from "node:child_process"
import { once } from "node:events"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { runTroupe, startCommand } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

const folder = mkdtempSync(join(tmpdir(), "troupe-backup-files-"))
const into = { DATABASE_URL: inject("postgresUrl"), SECRETS_KEY }
const pathOf = (name: string) => join(folder, name)
const listener = createServer()
let database: TestDatabase

beforeAll(async () => {
  execFileSync("mkfifo", [pathOf("pipe")])
  mkdirSync(pathOf("folder"))
  listener.listen(pathOf("socket"))
  await once(listener, "listening")
  database = await createTestDatabase()
})
afterAll(async () => {
  listener.close()
  await database.drop()
  rmSync(folder, { recursive: true, force: true })
})

describe("something else than a regular file", () => {
  it.each([
    { kind: "a pipe", path: pathOf("pipe") },
    { kind: "a folder", path: pathOf("folder") },
    { kind: "a socket", path: pathOf("socket") },
    { kind: "a device", path: "/dev/zero" }
  ])("is refused by verify, restore and --repeat-erasures at once: $kind", async ({ kind, path }) => {
    for (const [args, command] of [
      [["verify", path], "backup"],
      [["restore", path], "backup"],
      [["restore", path, "--repeat-erasures", path], "erasures export"]
    ] as const) {
      const { code, stdout, stderr } = await runTroupe(into, args)
      const told = `troupe: ${path} is ${kind}: give a regular file that "troupe ${command}" has written\n`
      assert.deepStrictEqual([code, stdout, stderr], [1, "", told])
    }
  })
})

/** Makes hard links fail, as on FAT. */
const WITHOUT_LINKS = `
  import fs from "node:fs/promises"
  import { syncBuiltinESMExports } from "node:module"
  fs.link = () => Promise.reject(Object.assign(new Error("no links"), { code: "EPERM" }))
  syncBuiltinESMExports()`
const disks = [
  { disk: "a disk with hard links", env: {} },
  {
    disk: "a disk without hard links",
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(WITHOUT_LINKS)}` }
  }
]
const writers = [
  // Tables that nothing uses now, so that only the command waits for them.
  { args: ["backup"], table: "storyline_steps" },
  { args: ["erasures", "export"], table: "erasures" }
]

describe.each(writers)("troupe $args", ({ args, table }) => {
  const told = (path: string) => `troupe: ${path} exists already: give another name\n`

  it.each(disks)("never replaces a file that appears while it works, on $disk", async ({ env }) => {
    const own = mkdtempSync(pathOf("own-"))
    const path = join(own, "new")
    const locking = postgres(database.url, { max: 1, onnotice: () => {} })
    const command = await locking.begin(async (sql) => {
      await sql`lock table ${sql(table)} in access exclusive mode`
      const started = startCommand({ ...env, DATABASE_URL: database.url }, [...args, path])
      await until("the unfinished file", () => readdirSync(own).some((name) => name.endsWith(".partial")))
      writeFileSync(path, "of somebody else")
      return started
    })
    assert.deepStrictEqual([await command.exit, command.stdout(), command.stderr()], [1, "", told(path)])
    assert.strictEqual(readFileSync(path, "utf8"), "of somebody else")
    assert.deepStrictEqual(readdirSync(own), ["new"])
    await locking.end()
  })

  it.each(disks)("leaves one file that only its owner can read, on $disk", async ({ env }) => {
    const own = mkdtempSync(pathOf("own-"))
    const path = join(own, "new")
    const { code, stderr } = await runTroupe({ ...env, DATABASE_URL: database.url }, [...args, path])
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.deepStrictEqual(readdirSync(own), ["new"])
    assert.strictEqual(statSync(path).mode & 0o777, 0o600)
    assert.isAbove(statSync(path).size, 0)
  })

  it("refuses the name of a link that leads nowhere", async () => {
    const own = mkdtempSync(pathOf("own-"))
    const path = join(own, "link")
    symlinkSync(join(own, "nowhere"), path)
    const { code, stderr } = await runTroupe({ DATABASE_URL: database.url }, [...args, path])
    assert.deepStrictEqual([code, stderr], [1, told(path)])
    assert.deepStrictEqual([readdirSync(own), existsSync(path)], [["link"], false])
  })
})
