import * as Effect from "effect/Effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { demoCharacters } from "#src/demo/characters.ts"
import { SCRIPTS } from "#test/support/conversation/scripts.ts"
import { talk } from "#test/support/conversation/talk.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { characterOf } from "#test/support/conversation/turns.ts"

const CONVERSATIONS_EACH = 4

let server: TestServer
let app: TestApp
beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
})
afterAll(() => server.close())

const converse = async (slug: string, script: ReadonlyArray<string>) => {
  const session = await app.createSession({ character_slug: slug })
  const said: Array<string> = []
  let firstTurnIndex: number | undefined
  for (const text of script) {
    const event = await app.converse(session, text)
    assert.strictEqual(event.type, "message.created", text)
    firstTurnIndex ??= event.payload["turn_index"]
    said.push(event.payload["text"])
  }
  const [greeting] = await app.events(session)
  const { body } = await app.get(`/v1/sessions/${session}/trace?limit=${script.length}`)
  return { session, said, greeting: greeting?.payload["text"], firstTurnIndex: firstTurnIndex ?? 0, trace: body.data }
}

describe("a conversation with a demo character over HTTP", () => {
  it.each(demoCharacters.map((profile, n) => [profile.display_name, profile, n] as const))(
    "with %s depends only on its session, turn and log, wherever it takes place",
    async (_, profile, n) => {
      assert.strictEqual((await app.post("/v1/characters", profile)).status, 200)
      const scripts = SCRIPTS.filter((_, i) => i % demoCharacters.length === n).slice(0, CONVERSATIONS_EACH)
      await Promise.all(
        scripts.map(async (script) => {
          const { session, said, greeting, firstTurnIndex, trace } = await converse(profile.slug, script)
          assert.strictEqual(trace.engine, "offline-retrieval.v1")
          assert.lengthOf(trace.trace, script.length)
          for (const { stages } of trace.trace) {
            for (const { stage, status, decision } of stages) {
              assert.strictEqual(status, "ok")
              if (stage === "emission") assert.strictEqual(decision, "passed")
            }
          }
          for (const [i, reply] of said.entries())
            assert.notInclude(said.slice(Math.max(0, i - 10), i), reply, script[i])
          const again = await Effect.runPromise(
            talk(characterOf(profile), script, { sessionId: session, greeting, firstTurnIndex })
          )
          assert.deepStrictEqual(
            again.map(({ reply }) => reply),
            said
          )
        })
      )
    }
  )

  it("recalls old messages that are no longer in the history", async () => {
    const session = await app.createSession({ character_slug: demoCharacters[0]?.slug })
    await app.converse(session, "my dog is called Biscuit")
    for (const text of SCRIPTS.slice(3, 6).flat()) await app.converse(session, text)
    const reply = await app.converse(session, "what is my dog called?")
    assert.match(reply.payload["text"], /Biscuit/)
  })
})
