import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createOperatorSessionIn, type TestSession } from "#test/support/accounts/createOperatorIn.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

interface OpenScreen {
  readonly status: number
  readonly close: () => void
}

/** Opens a screen as its script does, which then waits for changes. */
const openScreen = async ({ headers }: TestSession): Promise<OpenScreen> => {
  const leaving = new AbortController()
  const { status } = await fetch(`${server.baseUrl}/console/bots?live=1`, { headers, signal: leaving.signal })
  return { status, close: () => leaving.abort() }
}
const openScreens = async (session: TestSession, count: number): Promise<ReadonlyArray<OpenScreen>> =>
  Promise.all(Array.from({ length: count }, () => openScreen(session)))
const statusesOf = (screens: ReadonlyArray<OpenScreen>) => [...new Set(screens.map(({ status }) => status))]

describe("the screens of the console that update themselves", () => {
  it("are 20 at most for a session and 200 for all, and a closed one makes room for another", async () => {
    const open: Array<OpenScreen> = []
    try {
      for (let n = 0; n < 10; n++) {
        const session = await createOperatorSessionIn(server, "viewer", `viewer ${n}`)
        open.push(...(await openScreens(session, 20)))
        assert.deepStrictEqual(statusesOf(open), [200])
        assert.strictEqual((await openScreen(session)).status, 429)
        assert.strictEqual((await session.request("GET", "/console/bots")).status, 200)
      }
      const last = await createOperatorSessionIn(server, "viewer", "viewer 10")
      assert.strictEqual((await openScreen(last)).status, 429)
      open.shift()?.close()
      const next = await until("room for another screen", async () => {
        const screen = await openScreen(last)
        return screen.status === 200 && screen
      })
      open.push(next)
    } finally {
      for (const { close } of open) close()
    }
  })
})
