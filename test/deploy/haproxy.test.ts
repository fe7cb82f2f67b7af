import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { ROOT } from "#test/support/sources/docs.ts"
import { freePort } from "#test/support/freePort.ts"
import { type Receiver, startReceiver } from "#test/support/Receiver.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { runTroupe } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

const hasHaproxy = spawnSync("haproxy", ["-v"]).status === 0
if (!hasHaproxy) console.warn("Routing between cells is not tested: haproxy is not installed (apt-get install haproxy)")

const BIND = "bind :443 ssl crt /etc/haproxy/troupe.example.org.pem alpn h2,http/1.1"
const read = (name: string) => readFileSync(join(ROOT, "deploy/haproxy", name), "utf8")

let folder: string
let mapFile: string
let eu1: TestServer
let eu2: TestServer
let receiver: Receiver
let proxy: ChildProcess
let baseUrl: string
let stderr = ""

/** HAProxy with our configuration in front of both cells. Only its names, ports and paths are replaced. */
const startHaproxy = async () => {
  const port = await freePort()
  baseUrl = `http://127.0.0.1:${port}`
  for (const name of ["cells.map", "hosts.map"]) writeFileSync(join(folder, name), read(name))
  const path = join(folder, "haproxy.cfg")
  const config = read("haproxy.cfg")
    .replace("10.0.1.1:8080", new URL(eu1.baseUrl).host)
    .replace("10.0.2.1:8080", new URL(eu2.baseUrl).host)
    .replaceAll("/etc/haproxy/", `${folder}/`)
  const pem = ["certificate.pem", "key.pem"].map((name) => readFileSync(join(ROOT, "test/support/tls", name), "utf8"))
  writeFileSync(join(folder, "troupe.example.org.pem"), pem.join("\n"))
  writeFileSync(path, config)
  const checked = spawnSync("haproxy", ["-c", "-f", path], { encoding: "utf8" })
  assert.strictEqual(checked.status, 0, checked.stderr)
  writeFileSync(path, config.replace(BIND.replaceAll("/etc/haproxy/", `${folder}/`), `bind 127.0.0.1:${port}`))
  proxy = spawn("haproxy", ["-W", "-f", path], { stdio: ["ignore", "ignore", "pipe"] })
  proxy.stderr?.on("data", (data) => {
    stderr += data
  })
  await until("the proxy", async () => {
    assert.isNull(proxy.exitCode, stderr)
    return fetch(`${baseUrl}/healthz`).then(
      ({ status }) => status === 200,
      () => false
    )
  })
}

/** The same app through the proxy. */
const through = (app: TestApp) => new TestApp(baseUrl, app.appId, app.key)

/** A message that is sent until it is accepted, as a client does it. The statuses of the attempts before it. */
const sendSafely = async (app: TestApp, session: string, text: string) => {
  const before: Array<number> = []
  await until("an accepted message", async () => {
    const { status } = await app.send(session, text, { "idempotency-key": text })
    if (status !== 200) before.push(status)
    return status === 200
  })
  return before
}

describe.skipIf(!hasHaproxy)("two cells behind HAProxy with the configuration of deploy/haproxy", () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "troupe-haproxy-"))
    mapFile = join(folder, "cells.map")
    receiver = await startReceiver((response) => void response.writeHead(200).end())
    const env = { OUTBOUND_ALLOW: "127.0.0.1", TRUST_PROXY: "true" }
    eu1 = await startTestServer({ env: { ...env, CELL: "eu1" } })
    eu2 = await startTestServer({ env: { ...env, CELL: "eu2" } })
    await startHaproxy()
  })
  afterAll(async () => {
    proxy.kill("SIGTERM")
    if (proxy.exitCode === null) await once(proxy, "exit")
    await eu1.close()
    await eu2.close()
    await receiver.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it("lead a key or a stream token to its cell, one without a code to the first, the rest by the host", async () => {
    const second = await eu2.createApp()
    for (const cell of [eu1, eu2]) {
      const app = await cell.createApp()
      assert.strictEqual((await through(app).get("/v1/me")).body.data.app_id, app.appId)
    }
    const made = await runTroupe({ DATABASE_URL: eu1.database.url, SECRETS_KEY }, ["app", "create", "Before cells"])
    const { app_id, api_key } = JSON.parse(made.stdout)
    assert.strictEqual((await new TestApp(baseUrl, app_id, api_key).get("/v1/me")).body.data.app_id, app_id)
    const session = await second.createSession()
    const { token } = (await second.post(`/v1/sessions/${session}/stream-token`, {})).body.data
    const events = `${baseUrl}/v1/sessions/${session}/events`
    for (const [query, headers] of [
      [`?token=${token}`, {}],
      ["", { authorization: `Bearer ${token}` }]
    ] as const)
      assert.strictEqual((await fetch(`${events}${query}`, { headers })).status, 200)
    const asked = request(`${baseUrl}/v1/llms.txt`, { headers: { host: "eu2.troupe.example.org" } })
    asked.end()
    const [answer] = await once(asked, "response")
    assert.include(await text(answer), eu2.baseUrl)
  })

  it("fail no request while HAProxy is reloaded", async () => {
    const app = through(await eu1.createApp())
    const over = new AbortController()
    const statuses: Array<number> = []
    const living = Array.from({ length: 4 }, async () => {
      while (!over.signal.aborted) statuses.push((await app.get("/v1/me")).status)
    })
    for (let reload = 0; reload < 10; reload++) {
      const before = statuses.length
      proxy.kill("SIGUSR2")
      await until("answers after the reload", () => statuses.length > before + 50)
    }
    over.abort()
    await Promise.all(living)
    assert.deepStrictEqual([...new Set(statuses)], [200])
  })

  it("move an app under load: nothing is lost or doubled, cursors stay, and other apps notice nothing", async () => {
    const app = through(await eu1.createApp())
    const quiet = through(await eu1.createApp())
    const session = await app.createSession()
    const quietSession = await quiet.createSession()
    await app.post(`/v1/sessions/${session}/channels`, { kind: "webhook", url: receiver.url })
    const greeted = await app.events(session)

    const over = new AbortController()
    const texts: Array<string> = []
    const refused = new Set<number>()
    const writing = (async () => {
      for (let n = 0; !over.signal.aborted; n++) {
        texts.push(`Message ${n}.`)
        for (const status of await sendSafely(app, session, `Message ${n}.`)) refused.add(status)
      }
    })()
    const quietStatuses = new Set<number>()
    const living = (async () => {
      while (!over.signal.aborted) {
        quietStatuses.add((await quiet.get(`/v1/sessions/${quietSession}/events?since=0`)).status)
        quietStatuses.add((await quiet.get("/v1/me")).status)
      }
    })()
    await until("messages before the move", () => texts.length > 5)
    const env = {
      DATABASE_URL: eu1.database.url,
      TARGET_DATABASE_URL: eu2.database.url,
      SECRETS_KEY,
      CELL: "eu1"
    }
    const moved = await runTroupe(env, ["app", "move", app.appId, "--to", "eu2", "--map", mapFile])
    assert.strictEqual(moved.code, 0, moved.stderr)
    proxy.kill("SIGUSR2")
    const sentBefore = texts.length
    await until("messages in the new cell", () => texts.length > sentBefore + 5)
    over.abort()
    await Promise.all([writing, living])

    assert.deepStrictEqual(
      [...refused].filter((status) => status !== 429),
      [503]
    )
    assert.deepStrictEqual([...quietStatuses], [200])
    await until("all replies", async () => {
      const [row] = await eu2.database.sql`
        select count(*)::int as open from turns where app_id = ${app.appId} and outcome is null`
      return row?.["open"] === 0
    })
    const events = await app.events(session)
    assert.deepStrictEqual(events.slice(0, greeted.length), greeted)
    assert.deepStrictEqual(
      events.map(({ cursor }) => cursor),
      events.map((_, index) => index + 1)
    )
    const said = events.filter(({ type, role }) => type === "message.created" && role === "user")
    assert.deepStrictEqual(
      said.map(({ payload }) => payload["text"]),
      texts
    )
    const pushed = () => receiver.requests.map(({ body }) => JSON.parse(body.toString()).cursor as number)
    const last = events.at(-1)!.cursor
    await until("the last push", () => pushed().includes(last))
    const first = pushed()[0] ?? 0
    assert.deepStrictEqual(
      pushed(),
      events.map(({ cursor }) => cursor).filter((cursor) => cursor >= first)
    )
    assert.deepStrictEqual((await eu1.database.sql`select 1 from events where app_id = ${app.appId}`).length, 0)
  })
})
