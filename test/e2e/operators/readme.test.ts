import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { approve } from "#test/support/browser/approve.ts"
import { documentedSettings, example as block } from "#test/support/sources/docs.ts"
import { readModules } from "#test/support/sources/modules.ts"
import { runTroupe, startTroupe, type TroupeProcess } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

const run = promisify(execFile)

let folder: string
let server: TroupeProcess
let key: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "troupe-readme-"))
  server = await startTroupe({ DATA_DIR: join(folder, "data") })
  key = /ck_[0-9A-Za-z]{46}/.exec(server.stdout())?.[0] ?? assert.fail("no key was printed")
})
afterAll(async () => {
  await server.stop("SIGTERM")
  await rm(folder, { recursive: true, force: true })
})

const here = (script: string) => script.replaceAll("http://127.0.0.1:8080", server.baseUrl)
const variables = () => ({ ...process.env, TROUPE_KEY: key, DATA_DIR: join(folder, "data") })
const shell = async (script: string): Promise<string> =>
  (await run("bash", ["-c", here(script)], { env: variables() })).stdout

describe("the README and the docs", () => {
  it("contain a first conversation that ends with a reply", async () => {
    const [answer = "", page = ""] = (await shell(block("conversation"))).split(/(?<=\})(?=\{"schema_version")/)
    assert.strictEqual(JSON.parse(answer).data.accepted, true)
    const replies = JSON.parse(page).data.events.filter(
      (event: { type: string; role: string }) => event.type === "message.created" && event.role === "character"
    )
    assert.lengthOf(replies, 1)
  })

  it("lead from a card to a character that talks, remembers and passes its evals", async () => {
    const [made = "", ...lines] = (await shell(block("walk"))).trim().split("\n")
    assert.deepInclude(JSON.parse(made), { status: "committed", slug: "tomas-reyn", version: 1 })
    const page = lines.find((line) => line.includes("mem_")) ?? assert.fail("no memories")
    assert.deepStrictEqual(
      JSON.parse(page).data.memories.map(({ text }: { text: string }) => text),
      ["My sister Nadia plays the cello."]
    )
    const talk = lines.slice(0, lines.indexOf(page)).join("\n")
    for (const said of ["Last crossing, Ann.", "Is it far?", "Far enough to talk."]) assert.include(talk, said)
    const table = lines.slice(lines.indexOf(page) + 1).join("\n")
    for (const key of ["voice", "listens", "honest"]) assert.match(table, new RegExp(`^${key} +1 +pass$`, "m"))
    assert.match(table, /^gate pass: pass_rate/m)
    assert.deepInclude(JSON.parse(lines.at(-1) ?? ""), { slug: "tomas-reyn", format: "png" })
  })

  it("let an operator look at the server on its own machine without a token, and leave none behind", async () => {
    const env = { DATA_DIR: join(folder, "data"), PORT: new URL(server.baseUrl).port }
    const top = await runTroupe(env, ["top", "--once", "--json"])
    assert.deepStrictEqual([top.code, top.stderr], [0, ""])
    assert.lengthOf(JSON.parse(top.stdout).processes, 1)
    const status = await runTroupe(env, ["status"])
    assert.deepStrictEqual([status.stderr, status.stdout === ""], ["", false])
    const { tokens } = JSON.parse((await runTroupe(env, ["operator", "token", "list"])).stdout)
    assert.deepStrictEqual(tokens, [])
  })

  it("make a character of the sandbox write first", async () => {
    const answers = (await shell(`${block("sandbox")}\n${block("proactive")}`)).split(/(?<=\})(?=\{"schema_version")/)
    const { data } = JSON.parse(answers.at(-1) ?? "")
    assert.deepInclude(data, { decision: "send", dry_run: false })
    assert.match(data.run_ref, /^run_/)
  })

  it("generate a picture of a character", async () => {
    const answers = (await shell(block("picture"))).split(/(?<=\})(?=\{"schema_version")/)
    assert.deepInclude(JSON.parse(answers.at(-1) ?? "").data, {
      character_slug: "edda-brandvik",
      kind: "selfie",
      status: "queued"
    })
  })

  it("follow the conversation as server-sent events", async () => {
    const opened = block("conversation").split("# 2.")[0] ?? ""
    const stream = spawn("bash", ["-c", here(`${opened}\nexec ${block("stream")}`)], {
      env: variables(),
      stdio: ["ignore", "pipe", "inherit"]
    })
    let text = ""
    stream.stdout.on("data", (data) => {
      text += data
    })
    const closed = once(stream, "close")
    try {
      await until(
        () => `an event (so far: ${text})`,
        () => text.includes("\ndata: {")
      )
    } finally {
      stream.kill()
      await closed
    }
    assert.match(text, /^retry: \d+\n\nid: 1\nevent: character\.initiated\ndata: \{/)
  })

  it("give a character an acquaintance", async () => {
    const [, edge = "", graph = ""] = ["", ...(await shell(block("world"))).split(/(?<=\})(?=\{"schema_version")/)]
    assert.strictEqual(JSON.parse(edge).data.fact, "She taught him to swim.")
    assert.deepStrictEqual(
      JSON.parse(graph).data.nodes.map(({ label }: { label: string }) => label),
      ["Edda Brandvik", "Tomas"]
    )
  })

  it("search a source for the answer to a question", async () => {
    const { data } = JSON.parse(await shell(block("research")))
    assert.deepStrictEqual(
      data.findings.map(({ claim, status }: Record<string, string>) => [claim, status]),
      [["The lighthouse was built in 1891.", "proposed"]]
    )
  })

  it("create a webhook for the conversation", async () => {
    const opened = block("conversation").split("# 2.")[0] ?? ""
    const { data } = JSON.parse(await shell(`${opened}\n${block("webhook")}`))
    assert.deepInclude(data, { kind: "webhook", status: "active" })
    assert.match(data.secret, /^whsec_/)
  })

  it("create a new app and a character", async () => {
    assert.strictEqual(JSON.parse(await shell(block("own"))).data.slug, "mara")
  })

  it("leave the app of the demo characters unchanged", async () => {
    const { data } = JSON.parse(
      await shell(`curl -s http://127.0.0.1:8080/v1/characters -H "authorization: Bearer $TROUPE_KEY"`)
    )
    assert.lengthOf(data.characters, 3)
    assert.notIncludeMembers(
      data.characters.map(({ slug }: { slug: string }) => slug),
      ["mara", "tomas-reyn"]
    )
  })

  it("lead from nothing to a first reply through a new account", async () => {
    const device =
      /^\{.*\}$/m.exec(await shell(`${block("account-start")}\necho "$DEVICE"`))?.[0] ?? assert.fail("no device code")
    await approve(JSON.parse(device).data.verification_uri_complete, server)
    const finish = `${block("account-finish")}\nprintf '\\n%s\\n' "$TROUPE_ACCOUNT_TOKEN $TROUPE_KEY $DEVICE_CODE"`
    const [page = "", secrets = "", caps = ""] = (await shell(`DEVICE='${device}'\n${finish}\n${block("caps")}`)).split(
      "\n"
    )
    const { data } = JSON.parse(page)
    assert.isTrue(
      data.events.some(
        (event: { type: string; role: string }) => event.type === "message.created" && event.role === "character"
      )
    )
    // The issued secrets are in no line that the server wrote.
    assert.match(secrets, /^lat_\w{46} ck_\w{46} dc_\w{46}$/)
    const [app, endUser, usage] = caps.split(/(?<=\})(?=\{"schema_version")/).map((answer) => JSON.parse(answer).data)
    assert.deepStrictEqual(
      [
        app.daily_budget_usd,
        app.default_end_user_caps.daily_messages,
        endUser.effective.daily_messages,
        usage.messages
      ],
      [5, 200, 20, 1]
    )
    for (const secret of secrets.split(" ")) assert.notInclude(server.stdout() + server.stderr(), secret)
  })

  it("test a client in the sandbox", async () => {
    const { data } = JSON.parse(await shell(block("sandbox")))
    assert.strictEqual(data.accepted, true)
  })

  it("list every setting that is read, and no other", () => {
    const source = readModules(["src/settings"])
      .map(({ text }) => text)
      .join("\n")
    const read = new Set([...source.matchAll(/\b(?:Config\.\w+|text)\("([A-Z][A-Z0-9_]+)"/g)].map(([, name]) => name))
    assert.isAbove(read.size, 40)
    assert.deepStrictEqual([...read].sort(), [...documentedSettings()].sort())
  })
})
