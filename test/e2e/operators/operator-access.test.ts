import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { runTroupe, startTroupe } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const troupe = (...args: ReadonlyArray<string>) =>
  runTroupe({ DATABASE_URL: server.database.url, PUBLIC_URL: server.baseUrl }, args)
const printed = async (...args: ReadonlyArray<string>) => {
  const { code, stdout, stderr } = await troupe(...args)
  assert.deepStrictEqual([code, stderr], [0, ""])
  return JSON.parse(stdout)
}
const open = (url: string) => fetch(url, { redirect: "follow" })

describe("troupe console", () => {
  it("prints a link that signs in an owner, once, at a server that is running", async () => {
    const { code, stdout, stderr } = await troupe("console")
    assert.strictEqual(code, 0)
    assert.match(stdout, /^http:\S+\/console\?code=oc_\w{46}\n$/)
    assert.include(stderr, "within 5 minutes")
    const first = await open(stdout.trim())
    assert.deepStrictEqual([first.status, first.headers.get("refresh")], [200, "0; url=/console"])
    assert.strictEqual((await open(stdout.trim())).status, 403)
  })
})

describe("troupe operator token", () => {
  it("creates, lists and revokes tokens", async () => {
    const { token, prefix, role, created_by } = await printed("operator", "token", "create", "CI", "--role", "operator")
    assert.deepStrictEqual([role, created_by], ["operator", null])
    const machine = new TestApp(server.baseUrl, "", token)
    assert.strictEqual((await machine.get("/admin/me")).body.data.name, "CI")
    const { tokens } = await printed("operator", "token", "list")
    assert.deepInclude(tokens[0], { prefix, status: "active" })
    assert.notInclude(JSON.stringify(tokens), token)
    assert.deepStrictEqual(await printed("operator", "token", "revoke", token), { prefix, revoked: true })
    assert.strictEqual((await machine.get("/admin/me")).status, 401)
  })

  it.each([
    [["create", "CI", "--role", "root"], /^troupe: --role: /],
    [["create", "CI", "--role", "viewer", "--days", "1000"], /^troupe: --days: /],
    [["create", " ", "--role", "viewer"], /^troupe: NAME must be /],
    [["revoke", "op_x"], /^troupe: PREFIX must be /],
    [["revoke", "op_xxxxxxxx"], /^troupe: there is no operator token /]
  ])("refuses %j in one line", async (args, said) => {
    const { code, stderr } = await troupe("operator", "token", ...args)
    assert.strictEqual(code, 1)
    assert.match(stderr, said)
  })
})

describe("a wrong bearer at /admin", () => {
  it("is a warning in the log, with the address and without the bearer", async () => {
    const ADMIN_TOKEN = "the-operator-and-nobody-else"
    const started = await startTroupe({ DATABASE_URL: server.database.url, SECRETS_KEY, ADMIN_TOKEN })
    const wrong = new TestApp(started.baseUrl, "", "a-guess-of-the-token")
    assert.strictEqual((await wrong.get("/admin/me")).status, 401)
    const isLogged = (output: string) =>
      output.split("\n").some((line) => /warn.*operator.sign.in.refused/i.test(line) && line.includes("127.0.0.1"))
    await until("the line in the log", () => isLogged(started.stdout() + started.stderr()))
    await started.stop("SIGTERM")
    assert.notInclude(started.stdout() + started.stderr(), "a-guess-of-the-token")
  })
})

describe("a start", () => {
  it("prints a console link on a developer's machine, and nowhere else", async () => {
    const linkOf = async (env: Record<string, string>) => {
      const started = await startTroupe({ DATABASE_URL: server.database.url, SECRETS_KEY, ...env })
      const link = /http:\S+\/console\?code=\w+/.exec(started.stdout())?.[0] ?? null
      const status = link === null ? null : (await open(link)).status
      await started.stop("SIGTERM")
      return status
    }
    assert.strictEqual(await linkOf({}), 200)
    assert.isNull(await linkOf({ TRUST_PROXY: "1" }))
    assert.isNull(await linkOf({ PUBLIC_URL: "https://troupe.example" }))
  })
})
