import { execFile, spawn, type ChildProcess } from "node:child_process"
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { examples } from "#test/support/sources/docs.ts"
import { startReceiver, status } from "#test/support/Receiver.ts"
import { startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import type { TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const ROOT = resolve(import.meta.dirname, "../..")
const CLIENT = join(ROOT, "clients/typescript")
const run = promisify(execFile)

let harness: TelegramHarness
let server: TestServer
let app: TestApp
/** A project of somebody who has installed the packed client. */
let project: string
/** The name of the file that npm pack makes. */
let archive: string
let packed: { readonly size: number; readonly unpackedSize: number; readonly files: ReadonlyArray<{ path: string }> }

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "troupe-client-"))
  const modules = join(project, "node_modules")
  await mkdir(join(modules, "@troupe"), { recursive: true })
  await mkdir(join(modules, "@types"))
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", project], { cwd: CLIENT })
  packed = JSON.parse(stdout.slice(stdout.indexOf("[")))[0]
  archive = (await readdir(project)).find((name) => name.endsWith(".tgz")) ?? ""
  await run("tar", ["-xzf", join(project, archive), "-C", join(modules, "@troupe")])
  await cp(join(modules, "@troupe/package"), join(modules, "@troupe/client"), { recursive: true })
  for (const name of ["eventsource-parser", "standardwebhooks", "@types/node", "undici-types"])
    await symlink(join(ROOT, "node_modules", name), join(modules, name))
  await cp(join(CLIENT, "examples"), project, { recursive: true })
  await writeFile(
    join(project, "package.json"),
    JSON.stringify({ type: "module", dependencies: { "@troupe/client": "*", standardwebhooks: "*" } })
  )
  harness = await startTelegramHarness({ env: { OUTBOUND_ALLOW: "127.0.0.1" } })
  server = harness.server
  app = harness.app
})
afterAll(async () => {
  await harness?.close()
  await rm(project, { recursive: true, force: true })
})

/** An example as its reader would start it. The first line of its output. */
const start = async (file: string, env: Record<string, string>, args: ReadonlyArray<string> = []) => {
  const child: ChildProcess = spawn(process.execPath, ["--no-warnings", join(project, file), ...args], {
    cwd: project,
    env: { ...process.env, TROUPE_URL: server.baseUrl, TROUPE_KEY: app.key, PORT: "0", ...env },
    stdio: ["ignore", "pipe", "inherit"]
  })
  let output = ""
  child.stdout?.on("data", (bytes: Buffer) => {
    output += bytes.toString("utf8")
  })
  const lines = () =>
    output
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  return { child, lines, first: () => until("its first line", async () => lines()[0]) }
}

describe("the packed client", () => {
  it("contains what is built, and is small", async () => {
    console.log(`@troupe/client: ${packed.size} bytes packed, ${packed.unpackedSize} bytes unpacked`)
    assert.isTrue(packed.files.every(({ path }) => /^(?:dist\/|README\.md$|package\.json$)/.test(path)))
    assert.isBelow(packed.size, 80_000)
  })

  it("depends on nothing that needs a newer Node than it does, in the versions that it is tested with", async () => {
    const { engines, dependencies } = JSON.parse(await readFile(join(CLIENT, "package.json"), "utf8"))
    const { packages } = JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8"))
    const majorOf = (range: string) => {
      const [, major] = /^>=\s*(\d+)(?:\.0)*$/.exec(range) ?? assert.fail(`"${range}" is not >= a major version`)
      return Number(major)
    }
    const check = (needed: Readonly<Record<string, string>>) => {
      for (const name of Object.keys(needed)) {
        const found = packages[`node_modules/${name}`]
        if (found.engines?.node !== undefined) assert.isAtMost(majorOf(found.engines.node), majorOf(engines.node), name)
        check(found.dependencies ?? {})
      }
    }
    for (const [name, version] of Object.entries(dependencies))
      assert.strictEqual(packages[`node_modules/${name}`].version, version, name)
    check(dependencies)
  })

  it.each([
    ["bundler", "esnext"],
    ["nodenext", "nodenext"]
  ])("type-checks its examples with moduleResolution %s", async (resolution, module) => {
    const tsc = join(ROOT, "node_modules/typescript5/bin/tsc")
    const files = (await readdir(project)).filter((name) => name.endsWith(".ts"))
    const options = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2022", "--types", "node"]
    const { stdout } = await run(
      process.execPath,
      [tsc, ...options, "--module", module, "--moduleResolution", resolution, ...files],
      { cwd: project }
    ).catch((failed: { stdout: string }) => failed)
    assert.strictEqual(stdout, "")
  })
})

/** Other runtimes, as `name=command` separated by commas: `CLIENT_RUNTIMES=node20=/opt/node20/bin/node,bun=bun`. */
const RUNTIMES: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["this Node", [process.execPath]],
  ...(process.env["CLIENT_RUNTIMES"] ?? "")
    .split(",")
    .filter((one) => one !== "")
    .map((one) => {
      const [name = "", command = ""] = one.split("=")
      return [name, command.split(" ")] as const
    })
]

describe("the packed client in another runtime", () => {
  it.each(RUNTIMES)("sends, follows, lists and verifies in %s", async (_, [command = "", ...args]) => {
    await cp(join(import.meta.dirname, "smoke.mjs"), join(project, "smoke.mjs"))
    const { stdout } = await run(command, [...args, join(project, "smoke.mjs")], {
      cwd: project,
      env: {
        ...process.env,
        TROUPE_URL: server.baseUrl,
        TROUPE_KEY: app.key,
        CHARACTER: await app.createCharacter()
      }
    })
    const { runtime, ...done } = JSON.parse(stdout)
    console.log(`@troupe/client works in ${runtime}`)
    assert.deepStrictEqual(done, {
      outcome: "replied",
      followed: ["message.created", "run.status", "message.created"],
      listed: 1,
      unwrapped: "evt_1",
      refused: "session_not_found"
    })
  })
})

const shownAs = (marker: string) => examples.find((example) => example.marker === marker)?.text ?? "nothing"

describe("an example of the client", () => {
  it("leads from a checkout to a reply", async () => {
    assert.include(shownAs("client-project"), `npm install ../${archive} `)
    const program = shownAs("client-first")
      .replace("http://127.0.0.1:8080", server.baseUrl)
      .replace("edda-brandvik", await app.createCharacter())
    await writeFile(join(project, "say.ts"), program)
    const { stdout } = await run(process.execPath, ["--no-warnings", "say.ts"], {
      cwd: project,
      env: { ...process.env, TROUPE_KEY: app.key }
    })
    assert.notStrictEqual(stdout.trim(), "")
  })

  it("is a chat backend in at most 60 lines, with at most 10 lines of glue, and answers", async () => {
    const text = await readFile(join(CLIENT, "examples/chat-backend.ts"), "utf8")
    assert.isAtMost(text.trimEnd().split("\n").length, 60)
    const glue = /--- The glue.*\n([\s\S]*)\n\/\/ --- The end/.exec(text)?.[1] ?? ""
    assert.isAtMost(glue.split("\n").filter((line) => line.trim() !== "").length, 10)
    const shown = shownAs("client-backend")
    assert.include(glue, shown.trim())

    const { child, first } = await start("chat-backend.ts", { CHARACTER: await app.createCharacter() })
    const { port } = await first()
    const say = async (line: string) => {
      const response = await fetch(`http://127.0.0.1:${port}/chat`, {
        method: "POST",
        body: JSON.stringify({ user: "bea", text: line })
      })
      return { status: response.status, body: (await response.json()) as { bubbles: ReadonlyArray<string> } }
    }
    const answer = await say("What is for dinner?")
    assert.strictEqual(answer.status, 200)
    assert.isNotEmpty(answer.body.bubbles)
    assert.isNotEmpty((await say("And tomorrow?")).body.bubbles)
    const { body } = await app.get("/v1/sessions?external_user_ref=bea")
    assert.lengthOf(body.data.sessions, 1)
    child.kill()
    await once(child, "exit")
  })

  it("is a webhook receiver that takes signed events once, and no others", async () => {
    const session = await app.createSession()
    const receiver = await startReceiver(status(204))
    const { secret } = (
      await app.post(`/v1/sessions/${session}/channels`, { kind: "webhook", url: receiver.url, from: "start" })
    ).body.data
    await app.converse(session, "What is for dinner?")
    const pushed = await until("the reply to be pushed", async () =>
      receiver.requests.find(({ body }) => /"message.created".*"role":"character"/.test(body.toString("utf8")))
    )
    const { child, lines, first } = await start("webhook-receiver.ts", { WEBHOOK_SECRET: secret })
    const { port } = await first()
    const push = (body: string) =>
      fetch(`http://127.0.0.1:${port}/`, {
        method: "POST",
        body,
        headers: Object.fromEntries(
          Object.entries(pushed.headers).filter(([name]) => name.startsWith("webhook-"))
        ) as Record<string, string>
      })
    const body = pushed.body.toString("utf8")
    assert.strictEqual((await push(body)).status, 204)
    assert.strictEqual((await push(body)).status, 204)
    assert.strictEqual((await push(`${body} `)).status, 401)
    child.kill()
    // By then, all that it has printed is read.
    await once(child, "close")
    const [, ...received] = lines()
    assert.deepStrictEqual(
      received.map(({ session: id }) => id),
      [session]
    )
    await receiver.close()
  })

  it("needs no library in Python", async (test) => {
    const python = await run("python3", ["--version"]).catch(() => null)
    if (python === null) return test.skip("python3 is not installed here")
    const program = examples.find(({ marker }) => marker === "client-python")?.text ?? ""
    const { stdout } = await run("python3", ["-c", program], {
      env: {
        ...process.env,
        TROUPE_URL: server.baseUrl,
        TROUPE_KEY: app.key,
        CHARACTER: await app.createCharacter()
      }
    })
    assert.notStrictEqual(stdout.trim(), "")
  })

  it("sets up a fleet of Telegram bots, one for each character", async () => {
    const bots = [harness.telegram.createBot(), harness.telegram.createBot()]
    const slugs = [await app.createCharacter(), await app.createCharacter()]
    const fleet = join(project, "fleet.json")
    await writeFile(fleet, JSON.stringify(bots.map(({ token }, at) => ({ token, character_slug: slugs[at] }))))
    const { child, lines } = await start("telegram-fleet.ts", {}, [fleet])
    const [code] = await once(child, "close")
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(
      lines().map(({ character, status }) => [character, status]),
      slugs.map((slug) => [slug, "done"])
    )
  })
})
