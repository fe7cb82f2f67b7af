import { randomBytes } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { dropDatabase } from "#test/support/postgres/dropDatabase.ts"
import { superuserUrl } from "#test/support/postgres/embedded.ts"
import { openGate } from "#test/support/postgres/gate.ts"
import { onDatabase } from "#test/support/postgres/onDatabase.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { runTroupe, startCommand, startTroupe } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

const SHORT = { COPY_STALL_SECONDS: "3" }

const folder = mkdtempSync(join(tmpdir(), "troupe-backup-ends-"))
const file = join(folder, "troupe.backup")
const admin = postgres(inject("postgresUrl"), { max: 1, onnotice: () => {} })
const named = (kind: string) => `${kind}_${randomBytes(6).toString("hex")}`
const [source, target] = [named("source"), named("target")]
const urlOf = (name: string) => onDatabase(inject("postgresUrl"), name)

beforeAll(async () => {
  await admin`create database ${admin(source)} template troupe_template strategy file_copy`
  await admin`create database ${admin(target)}`
  const { code, stderr } = await runTroupe({ DATABASE_URL: urlOf(source) }, ["backup", file])
  assert.strictEqual(code, 0, stderr)
})
afterAll(async () => {
  for (const name of [source, target]) await dropDatabase(admin, name)
  await admin.end({ timeout: 1 })
  rmSync(folder, { recursive: true, force: true })
})

const isPartialIn = (own: string) => readdirSync(own).some((name) => name.endsWith(".partial"))

describe("a database that falls silent before the first row", () => {
  const PREPARES = "set_config('statement_timeout', '0', true)"
  const written = join(folder, "silent")
  it.each([
    { what: "the transaction of a backup begins", at: "begin", of: source, args: ["backup", written] },
    { what: "a backup lists the tables", at: "pg_attribute", of: source, args: ["backup", written] },
    { what: "a backup reads its manifest", at: "pg_sequences", of: source, args: ["backup", written] },
    { what: "erasures are exported", at: "from erasures", of: source, args: ["erasures", "export", written] },
    { what: "a restore looks for tables", at: "from pg_class", of: target, args: ["restore", file] },
    { what: "a restore prepares its transaction", at: PREPARES, of: target, args: ["restore", file] }
  ])("ends the command when $what, with one line and no file", async ({ at, of, args }) => {
    const gate = await openGate(urlOf(of))
    gate.fallSilentAt(at)
    const { code, stdout, stderr } = await runTroupe({ DATABASE_URL: gate.url, SECRETS_KEY, ...SHORT }, args)
    gate.close()
    assert.deepStrictEqual([code, stdout], [1, ""])
    assert.match(stderr, /^troupe: no byte has passed for 3 s: .*\n$/)
    assert.deepStrictEqual(readdirSync(folder), ["troupe.backup"])
  })
})

describe("a backup whose backend is stopped", () => {
  it("says why it ends before it leaves the embedded server, and leaves no file", async () => {
    const data = { DATA_DIR: join(folder, "data"), SECRETS_KEY, DATABASE_URL: "" }
    const server = await startTroupe(data)
    const own = mkdtempSync(join(folder, "own-"))
    const port = readFileSync(join(data.DATA_DIR, "pg/postmaster.pid"), "utf8").split("\n")[3]
    const url = superuserUrl(data.DATA_DIR, `postgres://127.0.0.1:${port}/postgres`)
    const embedded = postgres(url, { max: 2, onnotice: () => {} })
    /** Each process holds one while it uses the server. */
    const presences = async () =>
      (
        await embedded`
          select 1 from pg_stat_activity where query like 'select pg_advisory_lock_shared%' and state = 'idle'`
      ).length
    const stopped = embedded.begin(async (sql) => {
      // A table that the server does not use now, so that only the backup waits for it.
      await sql`lock table storyline_steps in access exclusive mode`
      const { child, exit, stderr } = startCommand({ ...data, ...SHORT, COPY_STALL_SECONDS: "10" }, [
        "backup",
        join(own, "b.backup")
      ])
      const copying = await until("the backup to wait for the table", async () => {
        const [found] = await embedded<Array<{ pid: number }>>`
          select pid from pg_stat_activity where query like 'copy storyline_steps%' and wait_event_type = 'Lock'`
        return found?.pid
      })
      process.kill(copying, "SIGSTOP")
      try {
        await until("the error", () => stderr() !== "" || child.exitCode !== null)
        assert.strictEqual(await presences(), 2)
        assert.strictEqual(await exit, 1)
      } finally {
        process.kill(copying, "SIGCONT")
      }
      assert.match(stderr(), /^troupe: no byte has passed for 10 s: .*\n$/)
      assert.deepStrictEqual(readdirSync(own), [])
    })
    await stopped.finally(async () => {
      await embedded.end({ timeout: 1 })
      await server.stop("SIGTERM")
    })
  })
})

describe("a command that is stopped by a signal", () => {
  it.each([
    { signal: "SIGTERM", code: 143 },
    { signal: "SIGINT", code: 130 }
  ] as const)("exits with $code after $signal, and a backup leaves no file", async ({ signal, code }) => {
    const own = mkdtempSync(join(folder, "own-"))
    const locking = postgres(urlOf(source), { max: 1, onnotice: () => {} })
    await locking.begin(async (sql) => {
      await sql`lock table storyline_steps in access exclusive mode`
      const { child, exit, stdout } = startCommand({ DATABASE_URL: urlOf(source) }, ["backup", join(own, "b.backup")])
      await until("the backup to wait", () => isPartialIn(own))
      child.kill(signal)
      assert.deepStrictEqual([await exit, stdout()], [code, ""])
      assert.deepStrictEqual(readdirSync(own), [])
    })
    await locking.end()
  })
})
