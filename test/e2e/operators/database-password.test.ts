import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createAppIn } from "#test/support/accounts/createAppIn.ts"
import { freePort } from "#test/support/freePort.ts"
import { openServer, superuserUrl } from "#test/support/postgres/embedded.ts"
import { onDatabase } from "#test/support/postgres/onDatabase.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { runTroupe, startTroupe } from "#test/support/TroupeProcess.ts"

/** Parts that are found nowhere else, with every special character between them. */
const PASSWORD = "qazx/wsxc#edcv?rfvb@tgbn:yhnm%ujmk&ikml olpq'\"$é"
const PARTS = PASSWORD.split(/[^a-z]+/).filter((part) => part !== "")
const showsNothing = (printed: string) => {
  for (const part of PARTS) assert.notInclude(printed, part)
}

const folder = mkdtempSync(join(tmpdir(), "troupe-password-"))
let server: Awaited<ReturnType<typeof openServer>>
/** The server for the role with that password, and the address of its database without one. */
let host: string
beforeAll(async () => {
  server = await openServer(folder)
  host = new URL(server.url).host
  const admin = postgres(superuserUrl(folder, server.url), { max: 1, onnotice: () => {} })
  await admin.unsafe(`create role keeper login password '${PASSWORD.replaceAll("'", "''")}'`)
  for (const name of ["first", "second"]) await admin`create database ${admin(name)} owner keeper`
  await admin.end()
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A conversation with a process that migrates, serves and works, and what the doctor says. */
const served = async (database: string, env: Record<string, string>) => {
  const settings = { NODE_ENV: "production", SECRETS_KEY, ...env }
  const troupe = await startTroupe(settings)
  try {
    const sql = postgres(onDatabase(superuserUrl(folder, server.url), database), { max: 1, onnotice: () => {} })
    const { appId, key } = await createAppIn(sql)
    await sql.end()
    const app = new TestApp(troupe.baseUrl, appId, key)
    const session = await app.createSession({ character_slug: await app.createCharacter() })
    const reply = await app.converse(session, "Hello.")
    const { stdout } = await runTroupe(settings, ["doctor", "--json"])
    const checks: ReadonlyArray<{ readonly check: string; readonly status: string }> = JSON.parse(stdout).checks
    return { type: reply.type, database: checks.find(({ check }) => check === "database")?.status }
  } finally {
    await troupe.stop("SIGTERM")
    showsNothing(`${troupe.stdout()}${troupe.stderr()}`)
  }
}
const works = { type: "message.created", database: "ok" }

describe("a database whose password has every special character", () => {
  it("is reached by every connection with PGPASSWORD, also if the address names several servers", async () => {
    const url = `postgres://keeper@${host},127.0.0.1:${await freePort()}/first`
    assert.deepStrictEqual(await served("first", { DATABASE_URL: url, PGPASSWORD: PASSWORD }), works)
  })

  it("is reached by every connection with the password percent-encoded in the address", async () => {
    const url = `postgres://keeper:${encodeURIComponent(PASSWORD)}@${host}/second`
    assert.deepStrictEqual(await served("second", { DATABASE_URL: url, PGPASSWORD: "another" }), works)
  })

  it("is refused in one line with the password as it is in the address", async () => {
    for (const args of [["serve"], ["doctor"], ["migrate"]]) {
      const env = { NODE_ENV: "production", SECRETS_KEY, DATABASE_URL: `postgres://keeper:${PASSWORD}@${host}/first` }
      const { code, stdout, stderr } = await runTroupe(env, args)
      assert.notStrictEqual(code, 0)
      const isWhole = args[0] !== "doctor"
      assert.match(isWhole ? stderr : stdout, /^(wrong .*|troupe: )DATABASE_URL: .*percent-encoded.*PGPASSWORD.*$/m)
      if (isWhole) assert.strictEqual(stderr.trim().split("\n").length, 1, stderr)
      showsNothing(`${stdout}${stderr}`)
    }
  })

  it("is refused as the target of a move with the password as it is in the address", async () => {
    const env = {
      SECRETS_KEY,
      DATABASE_URL: `postgres://keeper:${encodeURIComponent(PASSWORD)}@${host}/first`,
      TARGET_DATABASE_URL: `postgres://keeper:${PASSWORD}@${host}/second`
    }
    const { code, stderr } = await runTroupe(env, ["app", "move", "app_none", "--to", "eu2"])
    assert.notStrictEqual(code, 0)
    assert.match(stderr, /^[^\n]*TARGET_DATABASE_URL: [^\n]*percent-encoded[^\n]*\n$/)
    showsNothing(stderr)
  })
})
