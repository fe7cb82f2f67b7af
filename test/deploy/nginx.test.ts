import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import type { IncomingMessage } from "node:http"
import { request, type RequestOptions } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { ROOT } from "#test/support/sources/docs.ts"
import { freePort } from "#test/support/freePort.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const MIB = 1024 * 1024
const CERTIFICATE = join(ROOT, "test/support/tls/certificate.pem")
const KEY = join(ROOT, "test/support/tls/key.pem")
const ca = readFileSync(CERTIFICATE)

const hasNginx = spawnSync("nginx", ["-v"]).status === 0
if (!hasNginx) console.warn("The proxy is not tested: nginx is not installed (apt-get install nginx-light)")

let folder: string
let server: TestServer
let trusting: TestServer
const proxies: Array<ChildProcess> = []

/** An nginx with our configuration in front of a server. Only its names and ports are replaced. Returns its port. */
const startNginx = async (baseUrl: string): Promise<number> => {
  const port = await freePort()
  const site = readFileSync(join(ROOT, "deploy/nginx.conf"), "utf8")
    .replace("server 127.0.0.1:8080;", `server ${new URL(baseUrl).host};`)
    .replace("listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`)
    .replace("/etc/ssl/troupe.example.org.pem", CERTIFICATE)
    .replace("/etc/ssl/troupe.example.org.key", KEY)
    .replace("/var/log/nginx/troupe.log", join(folder, "access.log"))
  const path = join(folder, `${port}.conf`)
  const temp = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join("\n")
  writeFileSync(
    path,
    `user root; daemon off; pid ${path}.pid; error_log stderr; events {}\nhttp { access_log off;\n${temp}\n${site} }\n`
  )
  const nginx = spawn("nginx", ["-e", "stderr", "-p", folder, "-c", path], { stdio: ["ignore", "ignore", "pipe"] })
  proxies.push(nginx)
  let stderr = ""
  nginx.stderr.on("data", (data) => {
    stderr += data
  })
  await until(`nginx (${stderr})`, async () => {
    assert.isNull(nginx.exitCode, stderr)
    return ask(port, "/healthz").then(
      ({ statusCode }) => statusCode === 200,
      () => false
    )
  })
  return port
}

const ask = async (port: number, path: string, options: RequestOptions = {}, body = ""): Promise<IncomingMessage> => {
  const asked = request({ ca, host: "127.0.0.1", servername: "localhost", port, path, agent: false, ...options })
  asked.end(body)
  const [answer] = await once(asked, "response")
  return answer
}

describe.skipIf(!hasNginx)("nginx with the configuration of deploy/nginx.conf", () => {
  let port: number
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "troupe-nginx-"))
    const PUBLIC_REQUESTS_PER_MINUTE = "5"
    server = await startTestServer({ env: { PUBLIC_REQUESTS_PER_MINUTE } })
    trusting = await startTestServer({ env: { PUBLIC_REQUESTS_PER_MINUTE, TRUST_PROXY: "true" } })
    port = await startNginx(server.baseUrl)
  })
  afterAll(async () => {
    for (const nginx of proxies) {
      nginx.kill("SIGTERM")
      if (nginx.exitCode === null) await once(nginx, "exit")
    }
    await server.close()
    await trusting.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it("passes each event of a stream on at once, and keeps the stream open", async () => {
    const app = await server.createApp()
    const session = await app.createSession()
    const headers = { authorization: `Bearer ${app.key}` }
    const stream = await ask(port, `/v1/sessions/${session}/events/stream`, { headers })
    assert.strictEqual(stream.statusCode, 200)
    let seen = ""
    stream.setEncoding("utf8").on("data", (data) => {
      seen += data
    })
    for (const words of ["first", "second"]) {
      const sent = await app.post(`/v1/sessions/${session}/messages`, { text: words }, { "idempotency-key": words })
      assert.strictEqual(sent.status, 200)
      await until(`the ${words} message on the stream`, () => seen.includes(`"${words}"`))
      assert.isFalse(stream.complete)
    }
    stream.destroy()
  })

  it("logs requests without their query, which may contain a stream token", async () => {
    const app = await server.createApp()
    const session = await app.createSession()
    const { token } = (await app.post(`/v1/sessions/${session}/stream-token`, {})).body.data
    const path = `/v1/sessions/${session}/events`
    assert.strictEqual((await ask(port, `${path}?token=${token}`)).statusCode, 200)
    const log = await until("the line of the request", () => {
      const text = readFileSync(join(folder, "access.log"), "utf8")
      return text.includes(`"GET ${path} HTTP/1.1" 200`) ? text : undefined
    })
    assert.notInclude(log, "token")
    assert.notInclude(log, token)
  })

  it("lets the server refuse a body that is too large for the route, and takes the largest ones", async () => {
    const app = await server.createApp()
    const post = (path: string, bytes: number) =>
      ask(
        port,
        path,
        { method: "POST", headers: { authorization: `Bearer ${app.key}`, "content-type": "application/json" } },
        JSON.stringify({ slug: "x".repeat(bytes) })
      )
    const refused = await post("/v1/characters", 1.5 * MIB)
    assert.strictEqual(refused.statusCode, 413)
    assert.strictEqual(JSON.parse(await text(refused)).detail.code, "payload_too_large")
    const invalid = await post("/v1/imports", 13 * MIB)
    assert.strictEqual(invalid.statusCode, 422)
  })

  it("is trusted with the address of a client only with TRUST_PROXY", async () => {
    const limited = (through: number, localAddress: string, headers = {}) =>
      until(`a refusal of ${localAddress}`, async () => {
        const { statusCode } = await ask(through, "/v1/llms.txt", { localAddress, headers })
        return statusCode === 429
      })
    const isServed = async (through: number, localAddress: string, headers = {}) =>
      (await ask(through, "/v1/llms.txt", { localAddress, headers })).statusCode === 200

    const trusted = await startNginx(trusting.baseUrl)
    await limited(trusted, "127.0.0.2")
    assert.isTrue(await isServed(trusted, "127.0.0.3"))
    assert.isFalse(await isServed(trusted, "127.0.0.2", { "x-forwarded-for": "192.0.2.1" }))

    await limited(port, "127.0.0.2")
    assert.isFalse(await isServed(port, "127.0.0.3"))
  })
})
