import { execFile } from "node:child_process"
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { Webhook } from "standardwebhooks"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { documentedSettings, example, examples, ROOT } from "#test/support/sources/docs.ts"
import { type FakeTelegram, startFakeTelegram } from "#test/support/telegram/FakeTelegram.ts"
import { readZip } from "#test/support/files/readZip.ts"
import { programFile } from "#test/support/suite/program.ts"
import { startTroupe, type TroupeProcess } from "#test/support/TroupeProcess.ts"

const run = promisify(execFile)

let folder: string
let telegram: FakeTelegram
let botToken: string
let server: TroupeProcess
let key: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "troupe-docs-"))
  telegram = await startFakeTelegram({ takesAnyWebhookUrl: true })
  const manager = telegram.createBot({ username: "maker_bot", name: "Bot maker", can_manage_bots: true })
  botToken = telegram.createBot({ username: "edda_bot", name: "Edda" }).token
  server = await startTroupe({
    DATA_DIR: join(folder, "data"),
    TELEGRAM_API_ROOT: telegram.url,
    TELEGRAM_MANAGER_TOKEN: manager.token,
    TELEGRAM_MODE: "polling"
  })
  key = /ck_[0-9A-Za-z]{46}/.exec(server.stdout())?.[0] ?? assert.fail("no key was printed")
})
afterAll(async () => {
  await server.stop("SIGTERM")
  await telegram.close()
  await rm(folder, { recursive: true, force: true })
})

const request = (method: string, path: string, body?: string) =>
  fetch(`${server.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body })
  })

/** Runs an example in a separate folder, with the values that the reader fills in. */
const shell = async (script: string, filledIn: Readonly<Record<string, string>> = {}): Promise<string> => {
  const filled = Object.entries({ "https://your-server.example": server.baseUrl, ...filledIn }).reduce(
    (text, [gap, value]) => {
      assert.include(text, gap)
      return text.replaceAll(gap, value)
    },
    script
  )
  return (await run("bash", ["-c", filled], { cwd: folder, env: { ...process.env, TROUPE_KEY: key } })).stdout
}

/** The settings in a line of an example that starts a server. */
const starts = (block: string): ReadonlyArray<Record<string, string>> =>
  block.split("\n").map((line) => {
    const [assignments = "", rest] = line.split(/(?=npm start)/)
    assert.match(rest ?? "", /^npm start(?: +#.*)?$/, line)
    return Object.fromEntries(
      assignments
        .trim()
        .split(/\s+/)
        .map((assignment) => assignment.split("="))
    )
  })

/** Starts a server with the settings of an example, beside the running one, and waits until it is ready. */
const starting = async (settings: Record<string, string>) => {
  for (const name of Object.keys(settings)) assert.include([...documentedSettings()], name)
  const { PORT: _, ...others } = settings
  const another = await startTroupe({ DATA_DIR: join(folder, "data"), ...others })
  assert.strictEqual(await another.stop("SIGTERM"), 0)
  return another
}

/** The commands of an example: their words up to the first argument, and every option in them. */
const commandsIn = (block: string) =>
  block
    .split(/^npm run -s troupe -- /m)
    .slice(1)
    .map((text) => {
      const [usage = ""] = text.split(/ {2,}/)
      return {
        words: /^(?:[a-z]+(?: |$))*/.exec(usage)?.[0].trim().split(" ").filter(Boolean) ?? [],
        options: [...new Set([...text.matchAll(/--[a-z][a-z-]+/g)].map(([option]) => option))]
      }
    })

const helpOf = async (words: ReadonlyArray<string>) =>
  (await run(process.execPath, [programFile(), ...words, "--help"], { cwd: ROOT })).stdout

describe("the examples in the docs", () => {
  it("show an error as the server returns it", async () => {
    const response = await request("GET", "/v1/sessions/ses_00000000000000000000000000")
    const { detail } = JSON.parse(example("answer: error"))
    const actual = ((await response.json()) as { detail: Record<string, string> }).detail
    assert.strictEqual(response.status, 404)
    assert.match(actual["request_id"] ?? "", /^req_/)
    assert.deepStrictEqual({ ...actual, request_id: detail.request_id }, detail)
  })

  it("show the rate limit headers as the server returns them", async () => {
    const opened = await request(
      "POST",
      "/v1/sessions",
      JSON.stringify({ character_slug: "edda-brandvik", external_user_ref: "reader" })
    )
    const session = ((await opened.json()) as { data: { id: string } }).data.id
    const { headers } = await request("POST", `/v1/sessions/${session}/messages`, JSON.stringify({ text: "Hello!" }))
    const comparable = (text: string) => text.replaceAll(/\b([rt])=\d+/g, "$1=N")
    const actual = ["RateLimit-Policy", "RateLimit"].map((name) => `${name}: ${headers.get(name)}`)
    assert.strictEqual(comparable(actual.join("\n")), comparable(example("answer: rate-limit")))
  })

  it("verify the signature of a webhook", () => {
    const code = example("verify")
    const [imported = "", ...rest] = code.split("\n")
    assert.match(imported, /^import \{ Webhook \} from "standardwebhooks"$/)
    const secret = `whsec_${Buffer.from(randomUUID()).toString("base64")}`
    const verify = new Function("Webhook", "secret", "rawBody", "request", `${rest.join("\n")}\nreturn event`)
    const body = JSON.stringify({ type: "message.created" })
    const headersAt = (at: Date) => ({
      "webhook-id": "evt_1",
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": new Webhook(secret).sign("evt_1", at, body)
    })
    assert.deepStrictEqual(verify(Webhook, secret, body, { headers: headersAt(new Date()) }), JSON.parse(body))
    assert.throws(() => verify(Webhook, secret, `${body} `, { headers: headersAt(new Date()) }))
  })

  it("start servers that share a folder, and servers with a model", async () => {
    const servers = [...starts(example("processes")), ...starts(example("model"))]
    assert.lengthOf(servers, 4)
    await Promise.all(servers.map(starting))
  })

  it.each([
    ["SAFETY_TEXTS", "setting: SAFETY_TEXTS", '{"de-AT":{"crisis":"..."}}'],
    ["SERVICE_TEXTS", "setting: SERVICE_TEXTS", '{"de-AT":{"help":["..."]}}']
  ])("have texts for %s that a server accepts", async (setting, marker, wrong) => {
    const path = join(folder, `${setting}.json`)
    const list = () =>
      run(process.execPath, ["bin/troupe.mjs", "app", "list"], {
        cwd: ROOT,
        env: { ...process.env, DATA_DIR: join(folder, "data"), [setting]: path }
      })
    await writeFile(path, example(marker))
    assert.include((await list()).stdout, "demo")
    await writeFile(path, wrong)
    const { stderr } = await list().then(
      () => assert.fail("took texts of another form"),
      (error) => error
    )
    assert.include(stderr, setting)
  })

  it("list existing commands and options", async () => {
    const commands = examples.filter(({ marker }) => marker === "commands").flatMap(({ text }) => commandsIn(text))
    assert.isAbove(commands.length, 20)
    for (const { words, options } of commands) {
      const help = await helpOf(words)
      // The help of a command names the command and the one that it belongs to.
      assert.match(help, new RegExp(`^USAGE (?:troupe )?${words.slice(-2).join(" ")}\\b`, "m"))
      for (const option of options.filter((option) => option !== "--help")) assert.include(help, option)
    }
  })

  it("attach a bot", async () => {
    const answer = await shell(example("telegram-attach"), { "123456789:AA...": botToken })
    assert.deepInclude(JSON.parse(answer).data, { mode: "byo", character_slug: "edda-brandvik" })
  })

  it("export an end-user", async () => {
    await request(
      "POST",
      "/v1/sessions",
      JSON.stringify({ character_slug: "edda-brandvik", external_user_ref: "exported-reader" })
    )
    await shell(example("export"), { EXTERNAL_USER_REF: "exported-reader" })
    const files = await readZip(await readFile(join(folder, "export.zip")))
    assert.include(files.get("profile.json")?.toString(), "exported-reader")
    // The page names every existing file.
    const page = readFileSync(join(ROOT, "docs/build/end-users.md"), "utf8")
    for (const path of files.keys()) assert.include(page, `\`${path.replace(/ses_\w+/, "<session id>")}\``)
  })

  it("create bots by links, one and many, and print their sheet", async () => {
    const send = async (path: string, body: string) => {
      const response = await request("POST", path, body)
      const text = await response.text()
      assert.isTrue(response.ok, text)
      return JSON.parse(text).data
    }
    assert.include((await send("/v1/telegram/bots", example("body: POST /v1/telegram/bots"))).link.url, "https://t.me/")
    const { id } = await send("/v1/telegram/batches", example("body: POST /v1/telegram/batches"))
    await shell(example("telegram-sheet"), { "bat_...": id })
    assert.match(await readFile(join(folder, "bots.html"), "utf8"), /^<!doctype html>[\s\S]*Edda/i)
  })
})
