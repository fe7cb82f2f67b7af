import { execFileSync, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { chown, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { processesOn } from "#test/support/postgres/embedded.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { ROOT, type Started, startProgram } from "#test/support/startUp.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { programFile } from "#test/support/suite/program.ts"
import { until } from "#test/support/until.ts"

/** npm is the parent of what it starts, so the whole group is ended. */
const killGroup = ({ pid = 0 }: { readonly pid?: number | undefined }) => {
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // It has ended.
  }
}

let parent: string
let dataDir: string
let started: Array<Started>
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "troupe-start-"))
  dataDir = join(parent, "data")
  started = []
})
afterEach(async () => {
  for (const { child } of started) killGroup(child)
  await Promise.all(started.map(({ exit }) => exit))
  for (const { pid } of processesOn(dataDir)) process.kill(pid, "SIGKILL")
  await until("no process left", () => processesOn(dataDir).length === 0)
  await rm(parent, { recursive: true, force: true })
})

const NPM_START = ["npm", "start"]
const SERVE = [process.execPath, programFile(), "serve"]
/** Without a bundle, as `npm start` does. */
const SOURCES = [process.execPath, "bin/troupe.mjs"]

const start = (
  command: ReadonlyArray<string> = SERVE,
  env: Record<string, string> = {},
  user?: { readonly uid: number; readonly gid: number }
) => {
  const program = startProgram(command, { DATA_DIR: dataDir, ...env }, user)
  started.push(program)
  return program
}
const ended = async (program: Started) => ({
  code: await program.exit,
  stdout: program.stdout(),
  stderr: program.stderr()
})
const run = (args: ReadonlyArray<string>, env: Record<string, string> = {}) =>
  ended(start([process.execPath, programFile(), ...args], env))
const stop = (program: Started, signal: NodeJS.Signals) => {
  program.child.kill(signal)
  return program.exit
}
/** What a terminal does on Ctrl-C: the signal goes to every process of the group. */
const controlC = (program: Started) => {
  process.kill(-(program.child.pid ?? 0), "SIGINT")
  return program.exit
}
const curlsOf = (stdout: string) =>
  stdout
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("curl "))
const bash = (command: string) => JSON.parse(execFileSync("bash", ["-c", command], { encoding: "utf8" }))
const created = (stdout: string): TestApp & { readonly prefix: string } => {
  const lines = stdout.split("\n")
  assert.deepStrictEqual(lines.slice(1), [""], stdout)
  const line = JSON.parse(lines[0] ?? "")
  assert.deepStrictEqual(Object.keys(line), ["app_id", "api_key", "prefix"])
  assert.isTrue(line.api_key.startsWith(line.prefix))
  return Object.assign(new TestApp("", line.app_id, line.api_key), { prefix: line.prefix })
}
const speak = async (baseUrl: string, key: string) => {
  const app = new TestApp(baseUrl, "", key)
  const session = await app.createSession()
  const reply = await app.converse(session, "What is for dinner?")
  assert.strictEqual(reply.type, "message.created")
  return session
}

describe("npm start", () => {
  it("prints the ready line last, and the printed curls send a message and read its reply", async () => {
    const program = start(NPM_START)
    const baseUrl = await program.ready()
    const lines = program.stdout().split("\n")
    assert.strictEqual(lines.at(-1), "")
    assert.strictEqual(lines.at(-2), JSON.stringify({ ready: true, base_url: baseUrl }))
    assert.strictEqual(lines.filter((line) => line.includes('"ready"')).length, 1)

    const [say = "", read = ""] = curlsOf(program.stdout())
    const said = bash(say)
    assert.isTrue(said.data?.accepted, JSON.stringify(said))
    const reply = await until("the reply", () =>
      bash(read).data.events.find(
        (event: { trace_id: string; role: string; type: string }) =>
          event.trace_id === said.data.run_ref && event.role === "character" && event.type === "message.created"
      )
    )
    assert.isNotEmpty(reply.payload.text)
    assert.strictEqual(await controlC(program), 0)
    assert.deepStrictEqual(processesOn(dataDir), [])
  })

  it("says which engine answers and whose key it prints, without colours in a pipe", async () => {
    const offline = start([...SOURCES, "serve"])
    await offline.ready()
    assert.match(offline.stdout(), /^ {2}Engine offline-retrieval\.v1: no model/m)
    assert.match(offline.stdout(), /^ {2}Key {4}ck_\w{46} {3}\(for the app "demo"/m)
    assert.strictEqual(await stop(offline, "SIGTERM"), 0)
    const live = start([...SOURCES, "serve"], { OPENAI_BASE_URL: "http://127.0.0.1:9/v1", OPENAI_MODEL: "llama3.1" })
    await live.ready()
    assert.match(live.stdout(), /^ {2}Engine openai-compatible, model llama3\.1$/m)
    assert.notMatch(live.stdout(), /offline|demo key/i)
    assert.strictEqual(await stop(live, "SIGTERM"), 0)
    const help = [
      await ended(start([...SOURCES, "--help"], { CI: "", TEST: "" })),
      await ended(start([...SOURCES, "app", "nonsense"], { CI: "", TEST: "" }))
    ]
    for (const text of [offline, live]
      .flatMap(({ stdout, stderr }) => [stdout(), stderr()])
      .concat(help.flatMap(({ stdout, stderr }) => [stdout, stderr]))) {
      assert.notInclude(text, "\u001b")
    }
    assert.include(help[0]?.stdout, "troupe")
  })

  it("prints a key on the first start only, and the first key still works after the second", async () => {
    const first = start()
    await first.ready()
    const key = /ck_[0-9A-Za-z]{46}/.exec(first.stdout())?.[0] ?? ""
    assert.strictEqual(await stop(first, "SIGTERM"), 0)
    assert.deepStrictEqual(processesOn(dataDir), [])

    const second = start()
    const baseUrl = await second.ready()
    assert.notMatch(second.stdout() + second.stderr(), /ck_/)
    await speak(baseUrl, key)
    assert.strictEqual(await stop(second, "SIGINT"), 0)
    assert.deepStrictEqual(processesOn(dataDir), [])
  })

  it("leaves no process behind if it is asked to stop while it is starting", async () => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      const program = start()
      await until("the server to be starting", () => processesOn(dataDir).length > 0)
      await stop(program, signal)
      await until("no process left", () => processesOn(dataDir).length === 0)
    }
    const again = start()
    await again.ready()
    assert.strictEqual(await stop(again, "SIGTERM"), 0)
    assert.deepStrictEqual(processesOn(dataDir), [])
  })

  it("starts again on the same data after a SIGKILL", async () => {
    const killed = start()
    const before = new TestApp(await killed.ready(), "", /ck_[0-9A-Za-z]{46}/.exec(killed.stdout())?.[0] ?? "")
    const session = await before.createSession()
    await before.converse(session, "What is for dinner?")
    const told = await before.events(session)
    assert.strictEqual(await stop(killed, "SIGKILL"), "SIGKILL")

    const next = start()
    const app = new TestApp(await next.ready(), "", before.key)
    assert.deepStrictEqual(await app.events(session), told)
    await app.converse(session, "And tomorrow?")
    assert.strictEqual(await stop(next, "SIGTERM"), 0)
    assert.deepStrictEqual(processesOn(dataDir), [])
  })

  it("works twice at once in a new folder: both processes become ready and share their conversations", async () => {
    const both = [start(), start()] as const
    const [one, other] = (await Promise.all(both.map((program) => program.ready()))) as [string, string]
    const keys = both.flatMap((program) => program.stdout().match(/ck_[0-9A-Za-z]{46}/g) ?? [])
    assert.strictEqual(new Set(keys).size, 1)
    const key = keys[0] ?? ""
    const session = await speak(one, key)
    const [here, there] = [new TestApp(one, "", key), new TestApp(other, "", key)]
    assert.deepStrictEqual(await there.events(session), await here.events(session))
    await there.converse(session, "And tomorrow?")
    assert.deepStrictEqual(
      (await here.events(session)).map((event) => event.cursor),
      [1, 2, 3, 4, 5, 6]
    )

    assert.strictEqual(await stop(both[0], "SIGTERM"), 0)
    assert.strictEqual((await there.converse(session, "And after that?")).type, "message.created")
    assert.strictEqual(await stop(both[1], "SIGTERM"), 0)
    assert.deepStrictEqual(processesOn(dataDir), [])
  })

  it("prints nothing but the ready line in production, and no secret anywhere", async () => {
    const program = start(SERVE, { NODE_ENV: "production", SECRETS_KEY })
    const baseUrl = await program.ready()
    assert.strictEqual(program.stdout(), `${JSON.stringify({ ready: true, base_url: baseUrl })}\n`)
    assert.strictEqual(await stop(program, "SIGTERM"), 0)
    assert.notMatch(program.stdout() + program.stderr(), /ck_|postgres:\/\//)
  })

  it("names a model without a known price, and shows it in the rates, as the price of embeddings", async () => {
    const program = start(SERVE, {
      OPENAI_BASE_URL: "https://models.example/v1",
      OPENAI_MODEL: "brand-new",
      OPENAI_ANALYZE_MODEL: "gpt-5-nano",
      OPENAI_EMBED_MODEL: "text-embedding-3-small"
    })
    const app = new TestApp(await program.ready(), "", "")
    const {
      data: { api_key }
    } = (await app.post("/v1/demo/sandbox-key", undefined)).body
    const { data } = (await new TestApp(app.baseUrl, "", api_key).get("/v1/rates")).body
    assert.deepInclude(data, { model: "brand-new", priced: false, price_source: "assumed" })
    assert.deepInclude(data.rates, {
      kind: "embedding",
      unit: "text",
      price_source: "list",
      price_usd: 0.000_121,
      estimate_usd: 0.000_001
    })
    const warned = program
      .stderr()
      .split("\n")
      .filter((line) => line.includes("price of a model is not known"))
    assert.lengthOf(warned, 1, program.stderr())
    assert.include(program.stderr(), "brand-new")
  })

  it("runs as a user other than root, below a folder that only that user can enter", async ({ skip }) => {
    if (process.getuid?.() !== 0) skip("the tests do not run as root: every other test is this one")
    const user = { uid: 65534, gid: 65534 }
    const sees =
      spawnSync(process.execPath, ["--check", join(ROOT, "bin/troupe.mjs")], { ...user, stdio: "ignore" }).status ===
        0 &&
      spawnSync(process.execPath, ["--input-type=module", "-e", "await import('fastify')"], {
        ...user,
        cwd: ROOT,
        stdio: "ignore"
      }).status === 0
    if (!sees) skip(`uid ${user.uid} may not read this checkout (${ROOT})`)
    await chown(parent, user.uid, user.gid)
    const program = start([...SOURCES, "serve"], { HOME: parent }, user)
    await speak(await program.ready(), /ck_[0-9A-Za-z]{46}/.exec(program.stdout())?.[0] ?? "")
    assert.strictEqual(await controlC(program), 0)
    assert.deepStrictEqual(processesOn(dataDir), [])
  })
})

describe("app create", () => {
  it(
    "prints one line of JSON and the key works, with or without a running server; a budget of zero refuses every " +
      "send",
    async () => {
      const before = created((await run(["app", "create", "before"])).stdout)
      assert.deepStrictEqual(processesOn(dataDir), [])

      const baseUrl = await start().ready()
      const during = created((await run(["app", "create", "during"])).stdout)
      for (const { key } of [before, during]) await speak(baseUrl, key)

      const penniless = new TestApp(
        baseUrl,
        "",
        created((await run(["app", "create", "penniless", "--budget-usd", "0"])).stdout).key
      )
      const session = await penniless.createSession()
      const refused = await penniless.send(session, "What is for dinner?")
      assert.strictEqual(refused.status, 402)
      assert.deepStrictEqual(await penniless.events(session), [])
    }
  )

  it("refuses a budget that is not a number of dollars in one line, and creates nothing", async () => {
    const { code, stdout, stderr } = await run(["app", "create", "somebody", "--budget-usd", "much"])
    assert.strictEqual(code, 1)
    assert.strictEqual(stdout, "")
    assert.match(stderr, /^troupe: --budget-usd [^\n]+\n$/)
    assert.deepStrictEqual(processesOn(dataDir), [])
  })
})

describe("the key of secrets at rest", () => {
  it("is required in production, before anything is created", async () => {
    const { code, stdout, stderr } = await run(["serve"], { NODE_ENV: "production" })
    assert.strictEqual(code, 1)
    assert.strictEqual(stdout, "")
    assert.match(stderr, /^troupe: SECRETS_KEY: must be set in production[^\n]+\n$/)
    assert.isFalse(existsSync(dataDir))
  })

  it(
    "is created on a development machine by the first start, readable only by its owner; a wrong key fails, and " +
      "a rotation replaces it",
    async () => {
      const file = join(dataDir, "secrets.key")
      await Promise.all(
        [start(), start()].map(async (program) => {
          await program.ready()
          assert.strictEqual(await stop(program, "SIGTERM"), 0)
        })
      )
      assert.strictEqual((await stat(file)).mode & 0o777, 0o600)
      assert.deepStrictEqual(
        (await readdir(dataDir)).filter((name) => name.startsWith("secrets.")),
        ["secrets.key"]
      )
      const key = await readFile(file, "utf8")

      const refused = await run(["serve"], { SECRETS_KEY })
      assert.strictEqual(refused.code, 1)
      assert.match(refused.stderr.split("\n").at(-2) ?? "", /^troupe: SECRETS_KEY: does not match this database/)

      assert.match((await run(["secrets", "rotate"])).stderr, /^troupe: SECRETS_KEY_NEW: must be set[^\n]+\n$/)
      const rotated = await run(["secrets", "rotate"], { SECRETS_KEY_NEW: SECRETS_KEY })
      // The keys that sign picture addresses and stream tokens.
      assert.strictEqual(rotated.stdout, `{"rotated":2}\n`)
      assert.match((await run(["serve"])).stderr.split("\n").at(-2) ?? "", /^troupe: SECRETS_KEY: does not match/)

      const next = start(SERVE, { SECRETS_KEY })
      await next.ready()
      assert.strictEqual(await stop(next, "SIGTERM"), 0)
      for (const program of started)
        for (const secret of [key.trim(), SECRETS_KEY]) assert.notInclude(program.stdout() + program.stderr(), secret)
      assert.deepStrictEqual(processesOn(dataDir), [])
    }
  )
})

describe("an invalid setting", () => {
  it.each([
    // test/settings.test.ts has the others.
    ["PORT", "http"],
    ["DATA_DIR", "/proc/troupe/data"],
    ["DATA_DIR", "/proc"],
    ["DATA_DIR", "package.json"]
  ])("stops the start with one line that names it: %s=%s", async (name, value) => {
    const { code, stdout, stderr } = await run(["serve"], { [name]: value })
    assert.strictEqual(code, 1)
    assert.strictEqual(stdout, "")
    assert.match(stderr, new RegExp(`^troupe: ${name}: [^\\n]+\\n$`))
    assert.deepStrictEqual(processesOn(dataDir), [])
  })

  it("given to serve as a flag stops the start with one line", async () => {
    const { code, stderr } = await run(["serve", "--port=0"])
    assert.strictEqual(stderr, "troupe: --port: unknown argument; see --help\n")
    assert.strictEqual(code, 1)
  })

  it("stops the start with one line if the port is in use, and leaves no process behind", async () => {
    const holder = createServer().listen(0, "127.0.0.1")
    await once(holder, "listening")
    const address = holder.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const { code, stdout, stderr } = await run(["serve"], { PORT: String(port), NODE_ENV: "production", SECRETS_KEY })
    holder.close()
    assert.strictEqual(code, 1)
    assert.strictEqual(stdout, "")
    assert.match(stderr.split("\n").at(-2) ?? "", new RegExp(`^troupe: PORT: .*${port}`))
    assert.deepStrictEqual(processesOn(dataDir), [])
  })

  it("stops the start with one line that names HOST if it is not an address of this machine", async () => {
    const { code, stdout, stderr } = await run(["serve"], { HOST: "192.0.2.1" })
    assert.strictEqual(code, 1)
    assert.strictEqual(stdout, "")
    assert.match(stderr.split("\n").at(-2) ?? "", /^troupe: HOST: /)
    assert.deepStrictEqual(processesOn(dataDir), [])
  })
})
