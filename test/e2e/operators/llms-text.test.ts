import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { approve } from "#test/support/browser/approve.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

interface Said {
  readonly [field: string]: any
}

/** The variables that the reader is told to set, taken from a response. */
const variables = ({ device_code, access_token, app_id, api_key, prefix, id, limits }: Said): Record<string, string> =>
  limits !== undefined
    ? { DEMO_KEY: api_key }
    : {
        ...(device_code !== undefined && { DEVICE_CODE: device_code }),
        ...(access_token !== undefined && { TROUPE_ACCOUNT_TOKEN: access_token }),
        ...(app_id !== undefined && { APP_ID: app_id }),
        ...(api_key !== undefined && { TROUPE_KEY: api_key, PREFIX: prefix }),
        ...(String(id).startsWith("ses_") && { SESSION: id })
      }

describe("llms.txt", () => {
  it("leads an agent from nothing to a first reply: each of its commands works, in order", async () => {
    const text = await (await fetch(`${server.baseUrl}/v1/llms.txt`)).text()
    const commands = [...text.matchAll(/```sh\n([\s\S]*?)\n```/g)].flatMap(([, block]) => (block ?? "").split("\n"))
    assert.isAbove(commands.length, 10)
    const known: Record<string, string> = {}
    const answers: Array<Said> = []
    for (const command of commands) {
      const { stdout } = await promisify(execFile)("bash", ["-c", command], { env: { ...process.env, ...known } })
      const { data, detail } = JSON.parse(stdout) as Said
      assert.isDefined(data, `${command}: ${JSON.stringify(detail)}`)
      answers.push(data)
      if (data.verification_uri_complete !== undefined) await approve(data.verification_uri_complete, server)
      // The first of each kind: a rotated key is named by its old prefix.
      for (const [name, value] of Object.entries(variables(data))) known[name] ??= value
    }
    const events: ReadonlyArray<Said> = answers.find((data) => Array.isArray(data["events"]))?.["events"]
    assert.isTrue(events.some(({ type, role }) => type === "message.created" && role === "character"))
    assert.deepStrictEqual(answers.at(-1)?.["revoked"], true)
    assert.strictEqual(
      (
        await fetch(`${server.baseUrl}/v1/account`, {
          headers: { authorization: `Bearer ${known["TROUPE_ACCOUNT_TOKEN"]}` }
        })
      ).status,
      403
    )
  })
})

describe("llms.txt of a server with features switched off", () => {
  it("describes no sandbox, sign-in or managed bots if they are off, but all client event types", async () => {
    const bare = await startTestServer({ env: { DEMO_SANDBOX: "off", TRUST_PROXY: "true" } })
    const [off, on] = await Promise.all(
      [bare, server].map(async ({ baseUrl }) => (await fetch(`${baseUrl}/v1/llms.txt`)).text())
    )
    await bare.close()
    for (const said of ["sandbox-key", "device/start", "lat_", "account_sign_in"]) {
      assert.notInclude(String(off).split("## Responses")[0] ?? "", said)
    }
    assert.include(on, "/v1/demo/sandbox-key")
    assert.include(on, "/v1/account/device/start")
    for (const text of [off, on]) {
      assert.notInclude(text, '"mode":"managed"')
      assert.include(text, "character.initiated")
    }
  })
})
