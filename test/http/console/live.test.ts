import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createOperatorSessionIn, type TestSession } from "#test/support/accounts/createOperatorIn.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const ADMIN_TOKEN = "the-operator-and-nobody-else"
const REASON = "Complaint 4711: the soup was cold"
const BEFORE = "The kettle is green."
const AFTER = "The ladder is yellow."

let server: TestServer
let operator: TestApp
let app: TestApp
beforeAll(async () => {
  server = await startTestServer({ env: { ADMIN_TOKEN } })
  operator = new TestApp(server.baseUrl, "", ADMIN_TOKEN)
  app = await server.createApp()
})
afterAll(() => server.close())

/** An open screen of a conversation, as its script keeps it. */
interface Stream {
  /** Everything that was received. */
  readonly text: () => string
  /** Resolves when the server has ended it. */
  readonly ended: Promise<void>
  readonly isOver: () => boolean
  readonly close: () => void
}

const openStream = async (session: string, headers: Record<string, string>): Promise<Stream> => {
  const leaving = new AbortController()
  const { status, body } = await fetch(`${server.baseUrl}/console/conversations/${session}?live=1`, {
    headers,
    signal: leaving.signal
  })
  assert.strictEqual(status, 200)
  const decoder = new TextDecoder()
  let text = ""
  let isOver = false
  const ended = (async () => {
    for await (const chunk of body!) text += decoder.decode(chunk, { stream: true })
    isOver = true
  })()
  // Nobody waits for a stream that the test leaves.
  ended.catch(() => {})
  return { text: () => text, ended, isOver: () => isOver, close: () => leaving.abort() }
}

/** The stream of an owner who has opened what was said, and who stays. */
const openAs = async (owner: TestSession, session: string): Promise<Stream> => {
  const { status } = await owner.request("POST", `/console/conversations/${session}/open`, {
    body: new URLSearchParams({ csrf: owner.csrf, reason: REASON })
  })
  assert.strictEqual(status, 303)
  return openStream(session, owner.headers)
}

/**
 * Ends what the stream was opened with, and says something after the stream has ended, which another owner receives.
 */
const assertEnds = async (session: string, stream: Stream, end: () => Promise<unknown>) => {
  const other = await openAs(await createOperatorSessionIn(server, "owner", `stays in ${session}`), session)
  try {
    for (const { text } of [stream, other])
      await until("what was said before", async () => text().includes(BEFORE) && true)
    await end()
    await stream.ended
    assert.isFalse(other.isOver())
    await app.converse(session, AFTER)
    await until("what was said afterwards, for the other owner", async () => other.text().includes(AFTER) && true)
    assert.include(stream.text(), BEFORE)
    assert.notInclude(stream.text(), AFTER)
  } finally {
    stream.close()
    other.close()
  }
}

const startConversation = async (): Promise<string> => {
  const session = await app.createSession()
  await app.converse(session, BEFORE)
  return session
}

describe("the open screen of a conversation", () => {
  it("ends when the session of its operator is revoked, and receives nothing that is said afterwards", async () => {
    const session = await startConversation()
    const owner = await createOperatorSessionIn(server, "owner", "is revoked")
    await assertEnds(session, await openAs(owner, session), async () => {
      const { status, body } = await operator.delete(`/admin/sign-ins/${owner.prefix}`)
      assert.strictEqual(status, 200, JSON.stringify(body))
    })
  })

  it("ends when its operator signs out", async () => {
    const session = await startConversation()
    const owner = await createOperatorSessionIn(server, "owner", "signs out")
    await assertEnds(session, await openAs(owner, session), async () => {
      const { status } = await owner.request("POST", "/console/sign-out", {
        body: new URLSearchParams({ csrf: owner.csrf })
      })
      assert.strictEqual(status, 303)
    })
  })

  it("ends when the session of its operator expires", async () => {
    const session = await startConversation()
    const owner = await createOperatorSessionIn(server, "owner", "expires")
    await assertEnds(session, await openAs(owner, session), async () => {
      const { count } = await server.database.sql`
        update operator_sessions set expires_at = now() where prefix = ${owner.prefix}`
      assert.strictEqual(count, 1)
    })
  })

  it("ends when the operator token that opened it is revoked", async () => {
    const session = await startConversation()
    const { data } = (await operator.post("/admin/tokens", { name: "Wall screen", role: "owner" })).body
    const machine = new TestApp(server.baseUrl, "", data.token)
    const opened = await machine.post(`/admin/sessions/${session}/break-glass`, { reason: REASON })
    assert.strictEqual(opened.status, 200, JSON.stringify(opened.body))
    const stream = await openStream(session, { authorization: `Bearer ${data.token}` })
    await assertEnds(session, stream, async () => {
      const { status, body } = await operator.delete(`/admin/tokens/${data.prefix}`)
      assert.strictEqual(status, 200, JSON.stringify(body))
    })
  })
})
