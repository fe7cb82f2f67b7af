import { assert, afterEach, describe, it } from "vitest"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as delay } from "node:timers/promises"
import postgres from "postgres"

const script = join(import.meta.dirname, "../support/open-embedded.ts")
const nobody = { uid: 65534, gid: 65534 }
const isRoot = process.getuid?.() === 0
const nobodyCanRun = isRoot && spawnSync(process.execPath, ["--check", script], nobody).status === 0

const directories: Array<string> = []
const openers: Array<ChildProcess> = []

const freshDirectory = () => {
  const directory = mkdtempSync(join(tmpdir(), "troupe-embedded-"))
  directories.push(directory)
  return directory
}

const until = async (what: string, holds: () => boolean) => {
  const deadline = performance.now() + 15_000
  while (!holds()) {
    assert.isBelow(performance.now(), deadline, `waited too long until ${what}`)
    await delay(20)
  }
}

const isAlive = (pid: number) => {
  if (process.platform === "linux") {
    return existsSync(`/proc/${pid}/status`) && !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  }
  return spawnSync("ps", ["-p", String(pid)]).status === 0
}

const statUid = (dataDir: string) => statSync(join(dataDir, "pg")).uid

const postmasterOf = (dataDir: string) => Number(readFileSync(join(dataDir, "pg/postmaster.pid"), "utf8").split("\n")[0])

const commands = () => process.platform === "linux"
  ? readdirSync("/proc").filter((entry) => /^\d+$/.test(entry)).map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
    } catch {
      return "" // gone since the directory was read
    }
  })
  : spawnSync("ps", ["-A", "-ww", "-o", "args="], { encoding: "utf8" }).stdout.split("\n")

/** What of PostgreSQL runs on this directory. */
const commandsOn = (dataDir: string) => commands().filter((command) => command.includes(`${dataDir}/pg`))

const open = async (dataDir: string, options: { readonly uid?: number; readonly gid?: number } = {}) => {
  const child = spawn(process.execPath, [script, dataDir], { stdio: ["pipe", "pipe", "pipe"], ...options })
  openers.push(child)
  let errors = ""
  child.stderr.on("data", (chunk: Buffer) => { errors += chunk.toString() })
  const exited = once(child, "close")
  const line = await Promise.race([
    once(createInterface(child.stdout), "line").then(([text]) => String(text)),
    exited.then(([code]) => { throw new Error(`the opener exited with ${String(code)}: ${errors}`) })
  ])
  const { url, one } = JSON.parse(line) as { readonly url: string; readonly one: number }
  assert.strictEqual(one, 1)
  const leave = async () => {
    child.stdin.end()
    assert.deepStrictEqual(await exited, [0, null], errors)
  }
  const kill = async () => {
    child.kill("SIGKILL")
    await exited
  }
  return { url, leave, kill, errors: () => errors }
}

const answers = async (url: string) => {
  const sql = postgres(url, { max: 1, connect_timeout: 15 })
  return await sql`select 1`.then(() => true).catch(() => false).finally(() => sql.end({ timeout: 0 }))
}

afterEach(() => {
  for (const child of openers.splice(0)) child.kill("SIGKILL")
  for (const directory of directories.splice(0)) {
    const locks = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith("postmaster.pid"))
    for (const lock of locks) {
      const pid = Number(readFileSync(join(directory, lock), "utf8").split("\n")[0])
      if (isAlive(pid)) process.kill(pid, "SIGQUIT")
    }
    rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
})

describe("the embedded server", () => {
  it("starts in a fresh directory, and the last one out stops it", async () => {
    const dataDir = freshDirectory()
    const first = await open(dataDir)
    const second = await open(dataDir)
    const postmaster = postmasterOf(dataDir)
    assert.strictEqual(second.url, first.url)

    await first.leave()
    assert.isTrue(isAlive(postmaster))
    assert.isTrue(await answers(second.url))

    await second.leave()
    assert.isFalse(isAlive(postmaster))
    assert.isFalse(existsSync(join(dataDir, "pg/postmaster.pid")))
  })

  it("is one server for two processes that come at once to a fresh directory, and none when both have left", async () => {
    const dataDir = freshDirectory()
    const [first, second] = await Promise.all([open(dataDir), open(dataDir)])
    assert.strictEqual(first.url, second.url)
    assert.isNotEmpty(commandsOn(dataDir))

    await Promise.all([first.leave(), second.leave()])
    assert.deepStrictEqual(commandsOn(dataDir), [])
    assert.deepStrictEqual(readdirSync(dataDir), ["pg"])
  })

  it("survives a newcomer that comes while the last one stops it", async () => {
    const dataDir = freshDirectory()
    const first = await open(dataDir)
    const [newcomer] = await Promise.all([open(dataDir), first.leave()])
    assert.isTrue(await answers(newcomer.url))
    await newcomer.leave()
    assert.deepStrictEqual(commandsOn(dataDir), [])
  })

  it("is adopted when whoever opened it was killed", async () => {
    const dataDir = freshDirectory()
    const killed = await open(dataDir)
    const postmaster = postmasterOf(dataDir)
    await killed.kill()
    assert.isTrue(isAlive(postmaster))

    const next = await open(dataDir)
    assert.strictEqual(next.url, killed.url)
    assert.strictEqual(postmasterOf(dataDir), postmaster)
    await next.leave()
    assert.isFalse(isAlive(postmaster))
  })

  it("starts again over a stale lock file when it was killed together with whoever opened it", async () => {
    const dataDir = freshDirectory()
    const killed = await open(dataDir)
    const postmaster = postmasterOf(dataDir)
    await killed.kill()
    process.kill(postmaster, "SIGKILL")
    await until("the postmaster is gone", () => !isAlive(postmaster))
    assert.strictEqual(postmasterOf(dataDir), postmaster)

    const next = await open(dataDir)
    assert.notStrictEqual(postmasterOf(dataDir), postmaster)
    await next.leave()
    assert.deepStrictEqual(commandsOn(dataDir), [])
  })

  it.runIf(process.platform === "linux")("starts although the pid of its stale lock file now belongs to another program", async () => {
    const dataDir = freshDirectory()
    await (await open(dataDir)).leave()
    const stranger = spawn("sleep", ["60"], isRoot ? { uid: statUid(dataDir) } : {})
    openers.push(stranger)
    writeFileSync(join(dataDir, "pg/postmaster.pid"), `${stranger.pid}\n${dataDir}/pg\n1\n1\n\n127.0.0.1\n\nready\n`, { mode: 0o600 })
    if (isRoot) chownSync(join(dataDir, "pg/postmaster.pid"), statUid(dataDir), -1)

    await (await open(dataDir)).leave()
    assert.isTrue(isAlive(Number(stranger.pid)))
  })

  it("comes back at its address when it dies under a process that uses it", async () => {
    const dataDir = freshDirectory()
    const user = await open(dataDir)
    const postmaster = postmasterOf(dataDir)
    process.kill(postmaster, "SIGKILL")
    await until("another postmaster is ready", () =>
      existsSync(join(dataDir, "pg/postmaster.pid")) && postmasterOf(dataDir) !== postmaster
      && readFileSync(join(dataDir, "pg/postmaster.pid"), "utf8").includes("ready"))
    assert.isTrue(await answers(user.url))
    await user.leave()
    assert.deepStrictEqual(commandsOn(dataDir), [])
  })

  it("keeps its data below directories that only their owner may walk, and sweeps drafts of a killed initdb", async () => {
    const locked = freshDirectory()
    chmodSync(locked, 0o700)
    const dataDir = join(locked, "deeper", ".data")
    mkdirSync(join(dataDir, "pg-new-aBc123/base"), { recursive: true, mode: 0o700 })
    writeFileSync(join(dataDir, "pg-new-aBc123.pw"), "")
    await (await open(dataDir)).leave()
    assert.deepStrictEqual(readdirSync(dataDir), ["pg"])
  })

  it.runIf(nobodyCanRun)("runs as whoever starts it, and root joins the server of another user", async () => {
    const dataDir = freshDirectory()
    chmodSync(dataDir, 0o700)
    chownSync(dataDir, nobody.uid, nobody.gid)
    const owner = await open(dataDir, nobody)
    const root = await open(dataDir)
    assert.strictEqual(root.url, owner.url)
    await owner.leave()
    await root.leave()
    await (await open(dataDir)).leave()
    await (await open(dataDir, nobody)).leave()
    assert.deepStrictEqual(commandsOn(dataDir), [])
  })

  it.runIf(nobodyCanRun)("says so when the database belongs to another user, or the directory cannot be made", async () => {
    const dataDir = freshDirectory()
    chmodSync(dataDir, 0o755)
    await (await open(dataDir)).leave()
    const messageOf = (path: string) => open(path, nobody).then(() => "opened", (error: unknown) => String(error))
    assert.match(await messageOf(dataDir), /Start as the user who made it/)
    assert.match(await messageOf(join(dataDir, "deeper")), /Cannot create the data directory/)
  })
})
