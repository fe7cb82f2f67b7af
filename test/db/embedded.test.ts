import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import postgres from "postgres"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { openServer, postmasterOf, processesOn } from "#test/support/embedded.ts"
import { until } from "#test/support/until.ts"

// mkdtemp makes the folder with mode 0700, and as root the server runs as another user: each of these tests is below such a folder.
let parent: string
let dataDir: string
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "troupe-embedded-"))
  dataDir = join(parent, "data")
})
afterEach(async () => {
  for (const { pid } of processesOn(dataDir)) process.kill(pid, "SIGKILL")
  await until("no process left", () => processesOn(dataDir).length === 0)
  await rm(parent, { recursive: true, force: true })
})

const ask = async (url: string, statement: string) => {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    return { ...(await sql.unsafe(statement))[0] }
  } finally {
    await sql.end({ timeout: 1 })
  }
}
const hold = async () => {
  const child = spawn(process.execPath, [resolve(import.meta.dirname, "../support/holdServer.ts"), dataDir], { stdio: ["ignore", "pipe", "inherit"] })
  const [url] = await once(child.stdout, "data")
  return { url: String(url).trim(), kill: async () => { child.kill("SIGKILL"); await once(child, "exit") } }
}

describe("the embedded server", () => {
  it("is made once by two that open a fresh folder together, and is stopped by the last that leaves and by no other", async () => {
    const [one, other] = await Promise.all([openServer(dataDir), openServer(dataDir)])
    assert.strictEqual(one.url, other.url)
    const pid = postmasterOf(dataDir)
    await one.close()
    assert.deepStrictEqual(await ask(other.url, "select 1 as alive"), { alive: 1 })
    assert.strictEqual(postmasterOf(dataDir), pid)
    await other.close()
    assert.isFalse(existsSync(join(dataDir, "pg/postmaster.pid")))
    assert.deepStrictEqual(processesOn(dataDir), [])
  })

  it("leaves nothing in its folder but itself", async () => {
    const [one, other] = await Promise.all([openServer(dataDir), openServer(dataDir)])
    await Promise.all([one.close(), other.close()])
    assert.deepStrictEqual(await readdir(dataDir), ["pg"])
  })

  it("is adopted when the process that started it was killed", async () => {
    const killed = await hold()
    await ask(killed.url, "create table kept as select 7 as n")
    const pid = postmasterOf(dataDir)
    await killed.kill()
    const next = await openServer(dataDir)
    assert.strictEqual(postmasterOf(dataDir), pid)
    assert.deepStrictEqual(await ask(next.url, "select n from kept"), { n: 7 })
    await next.close()
    assert.deepStrictEqual(processesOn(dataDir), [])
  })

  it("starts again on its data when it was killed together with the process that started it", async () => {
    const killed = await hold()
    await ask(killed.url, "create table kept as select 7 as n")
    const pid = postmasterOf(dataDir)
    await killed.kill()
    process.kill(pid, "SIGKILL")
    assert.strictEqual(postmasterOf(dataDir), pid)
    const next = await openServer(dataDir)
    assert.notStrictEqual(postmasterOf(dataDir), pid)
    assert.deepStrictEqual(await ask(next.url, "select n from kept"), { n: 7 })
    await next.close()
  })

  it("is used by one that opens it while the last is just leaving", async () => {
    for (let round = 0; round < 3; round++) {
      const leaving = await openServer(dataDir)
      const [next] = await Promise.all([openServer(dataDir), leaving.close()])
      assert.deepStrictEqual(await ask(next.url, "select 1 as alive"), { alive: 1 })
      await next.close()
    }
    assert.deepStrictEqual(processesOn(dataDir), [])
  })

  it("says so in one sentence when its folder cannot be made", async () => {
    const file = join(parent, "file")
    await writeFile(file, "")
    const said = await openServer(join(file, "data")).then(() => "opened", (error: Error) => error.message)
    assert.match(said, /^DATA_DIR .*file\/data cannot be made: /)
  })
})
