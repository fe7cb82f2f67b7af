import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { OPERATOR_ROLES } from "#src/accounts/Operator.ts"
import { createOperatorIn } from "#test/support/accounts/createOperatorIn.ts"
import { operationsIn } from "#test/support/sources/operationsIn.ts"
import { type Receiver, startReceiver } from "#test/support/Receiver.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const SAID = "My sister has left for Lisbon."
const REPEATED = `I cannot store this: ${SAID}`

let server: TestServer
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver((response) => response.writeHead(500).end(REPEATED))
  server = await startTestServer({ env: { OUTBOUND_ALLOW: "127.0.0.1" } })
})
afterAll(async () => {
  await server.close()
  await receiver.close()
})

describe("the response of a receiver that repeats what was said", () => {
  it("is on no route of operators, and opens to an owner who gives a reason for the session", async () => {
    const app = await server.createApp()
    const session = await app.createSession()
    const created = await app.post(`/v1/sessions/${session}/channels`, { kind: "webhook", url: receiver.url })
    const channel: string = created.body.data.id
    await app.converse(session, SAID)
    const owner = await createOperatorIn(server, "owner")
    const attempt: string = await until(
      "a failed attempt",
      async () => (await owner.get(`/admin/deliveries?channel_id=${channel}`)).body.data.deliveries[0]?.id
    )
    const ids: Readonly<Record<string, string>> = {
      app_id: app.appId,
      session_id: session,
      channel_id: channel,
      attempt_id: attempt
    }
    const paths = operationsIn((await new TestApp(server.baseUrl, "", "").get("/openapi.json")).body)
      .filter(({ method, operation }) => method === "get" && operation.security?.[0]?.operatorToken !== undefined)
      .map(({ path }) => path.replaceAll(/\{(\w+)\}/g, (parameter, name: string) => ids[name] ?? parameter))
      .filter((path) => !path.includes("{"))
    const [api, screen] = [`/admin/deliveries/${attempt}`, `/console/deliveries/${attempt}`]
    assert.includeMembers(paths, [api, screen])

    for (const role of OPERATOR_ROLES) {
      const operator = await createOperatorIn(server, role)
      const tested = await operator.post(`/admin/channels/${channel}/test`, undefined)
      assert.strictEqual(tested.status, role === "viewer" ? 403 : 200)
      assert.notInclude(JSON.stringify(tested.body), SAID, role)
      for (const path of paths)
        assert.notInclude(JSON.stringify((await operator.get(path)).body), SAID, `${role} ${path}`)
    }

    const hidden = { status_code: 500, response: null, response_hidden: true }
    assert.deepInclude((await owner.get(api)).body.data, hidden)
    const { status } = await owner.post(`/admin/sessions/${session}/break-glass`, { reason: "Complaint 4711" })
    assert.strictEqual(status, 200)
    assert.deepInclude((await owner.get(api)).body.data, { response: REPEATED, response_hidden: false })
    assert.include((await owner.get(screen)).body, SAID)
    const another = await createOperatorIn(server, "owner")
    assert.deepInclude((await another.get(api)).body.data, hidden)
  })

  it("is opened in the console from the attempt, with a form that leads back to it", async () => {
    const app = await server.createApp()
    const session = await app.createSession()
    await app.post(`/v1/sessions/${session}/channels`, { kind: "webhook", url: receiver.url })
    await app.converse(session, SAID)
    const owner = await createOperatorIn(server, "owner")
    const attempt: string = await until(
      "a failed attempt",
      async () => (await owner.get(`/admin/deliveries?app_id=${app.appId}`)).body.data.deliveries[0]?.id
    )
    const page = async (path: string) => String((await owner.get(path)).body)
    const screen = `/console/deliveries/${attempt}`
    const [, form = ""] = /href="([^"]*#break-glass)"/.exec(await page(screen)) ?? []
    assert.strictEqual(form, `/console/conversations/${session}?attempt=${attempt}#break-glass`)
    const isOpen = async (path: string) => /<details class="card" id="break-glass"\s+open/.test(await page(path))
    assert.isTrue(await isOpen(form.replace("#break-glass", "")))
    for (const path of [
      `/console/conversations/${session}`,
      `/console/conversations/${session}?attempt=//evil.example`
    ])
      assert.isFalse(await isOpen(path), path)

    const open = (fields: Record<string, string>) =>
      fetch(`${server.baseUrl}/console/conversations/${session}/open`, {
        method: "POST",
        redirect: "manual",
        headers: { authorization: `Bearer ${owner.key}` },
        body: new URLSearchParams({ reason: "Complaint 4711", ...fields })
      }).then(({ headers }) => headers.get("location"))
    assert.strictEqual(await open({ attempt: "//evil.example" }), `/console/conversations/${session}`)
    assert.strictEqual(await open({ attempt }), screen)
    assert.include(await page(screen), SAID)
  })
})
