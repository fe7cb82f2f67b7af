import { afterAll, assert, describe, it } from "@effect/vitest"
import { exampleTurns } from "#pipeline/domain/Character.ts"
import { demoCharacters } from "#src/demo/characters.ts"
import { type FakeModel, start } from "#test/support/model/FakeModel.ts"
import { measurePrompts } from "#test/support/model/promptPrefix.ts"
import { SCRIPTS } from "#test/support/conversation/scripts.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { characterOf } from "#test/support/conversation/turns.ts"

const TURNS = 200

/** Messages of all lengths, with facts, questions about them and small talk. */
const MESSAGES = SCRIPTS.flat()

const open: Array<{ readonly close: () => Promise<unknown> }> = []
afterAll(async () => {
  for (const one of open) await one.close()
})

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

describe("the prompt of a reply", () => {
  for (const profile of demoCharacters.slice(0, 1)) {
    it(`shares its beginning with the one before it over ${TURNS} turns with ${profile.display_name}`, async () => {
      const lines = characterOf(profile)
        .example_dialogues.flatMap(exampleTurns)
        .filter(({ role }) => role === "character")
      const fake: FakeModel = await start({
        otherwise: ({ question }, index) =>
          question === "reply" ? { kind: "ok", bubbles: [lines[index % lines.length]?.text ?? "Hm."] } : { kind: "ok" }
      })
      open.push(fake)
      const server: TestServer = await startTestServer({ env: { OPENAI_BASE_URL: fake.url, OPENAI_ANALYZE: "off" } })
      open.push(server)
      const app = await server.createApp()
      await app.post("/v1/characters", profile)
      const session = await app.createSession({ character_slug: profile.slug })
      for (let turn = 0; turn < TURNS; turn++) await app.converse(session, MESSAGES[turn % MESSAGES.length] ?? "")

      const measured = measurePrompts(fake.requests.filter(({ question }) => question === "reply"))
      const shares = measured.map(({ shared }) => shared)
      const chars = measured.map((one) => one.chars)
      const late = shares.slice(20)
      console.log(
        `${profile.slug}: shared prefix mean ${percent(mean(shares))}, least ${percent(Math.min(...shares))} ` +
          `(after 20 turns: mean ${percent(mean(late))}, least ${percent(Math.min(...late))}, ` +
          `under 85 % on ${late.filter((share) => share < 0.85).length} of ${late.length}); ` +
          `characters mean ${Math.round(mean(chars))}, most ${Math.max(...chars)}`
      )
      assert.isAtLeast(measured.length, TURNS - 1)
      // Once in eight turns, the oldest messages are left out, and what follows them is read again.
      const sorted = late.toSorted((one, other) => one - other)
      assert.isAtLeast(mean(late), 0.87)
      assert.isAtLeast(sorted[Math.ceil(late.length * 0.1)] ?? 0, 0.85)
      assert.isAtLeast(sorted[0] ?? 0, 0.8)
      assert.isAtMost(Math.max(...chars), 17_000)
    })
  }
})
