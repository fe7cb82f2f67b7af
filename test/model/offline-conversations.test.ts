import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { greetingBubbles } from "#pipeline/domain/greeting.ts"
import { memoryId } from "#pipeline/retrieval/Transcript.ts"
import { demoCharacters } from "#src/demo/characters.ts"
import { SCRIPTS } from "#test/support/conversation/scripts.ts"
import { talk } from "#test/support/conversation/talk.ts"
import { characterOf } from "#test/support/conversation/turns.ts"

const demo = demoCharacters.map((profile) => ({
  character: characterOf(profile),
  greeting: greetingBubbles(profile, 0).join("\n")
}))
const conversations = SCRIPTS.map((script, n) => ({ ...demo[n % demo.length]!, script, sessionId: `ses_${n}` }))

/** Questions of the scripts that only a memory can answer, and what the answer must contain. */
const REMEMBERED: Readonly<Record<string, RegExp>> = {
  "what is my dog called?": /Biscuit/,
  "what does my sister play?": /cello/,
  "what's my grandmother's name?": /Rosa/,
  "how old am I?": /34/,
  "what was my cat called?": /Olive/,
  "what do I do for a living?": /carpenter/,
  "what do I hate?": /fish/i,
  "when is my birthday?": /May 3/,
  "what am I allergic to?": /nuts/,
  "what do I collect?": /stamps/,
  "what's my favourite animal?": /otter/i,
  "what does my mother send?": /oranges/,
  "when did I quit smoking?": /June/,
  "what do I call the heron?": /Gustav/,
  "what's his name?": /Samir/,
  "who did I lie to?": /Kofi/
}

describe("forty conversations of twelve turns", () => {
  it("are forty, with three characters", () => {
    assert.lengthOf(SCRIPTS, 40)
    assert.deepStrictEqual([...new Set(SCRIPTS.map((script) => script.length))], [12])
    assert.lengthOf(demo, 3)
  })

  for (const { character, script, sessionId, greeting } of conversations) {
    it.effect(
      `${sessionId} with ${character.display_name}: no repetition, no refusal, and every memory with its turn`,
      () =>
        Effect.gen(function* () {
          const exchanges = yield* talk(character, script, { sessionId, greeting })
          const said = exchanges.map(({ reply }) => reply)
          for (const [i, { asked, cursor, reply, draft, stages }] of exchanges.entries()) {
            assert.deepStrictEqual(
              stages
                .map(({ status, decision }) => `${status} ${decision ?? "-"}`)
                .filter((row) => /refused|fallback|error/.test(row)),
              [],
              asked
            )
            assert.notInclude([greeting, ...said.slice(Math.max(0, i - 10), i)], reply, asked)
            assert.notMatch(reply, /\{\{|\}\}/, asked)
            const told = exchanges.filter((earlier) => earlier.cursor < cursor)
            for (const id of draft?.cited_memory_ids ?? []) assert.include(told.map(memoryId), id, asked)
            const answer = REMEMBERED[asked]
            if (answer === undefined) continue
            assert.match(reply, answer, asked)
            const cited = told.filter((earlier) => draft?.cited_memory_ids.includes(memoryId(earlier)) === true)
            assert.isTrue(
              cited.some((earlier) => answer.test(earlier.asked)),
              `${asked}: the turn that said it is cited`
            )
          }
          assert.deepStrictEqual(
            (yield* talk(character, script, { sessionId, greeting })).map(({ reply }) => reply),
            said
          )
        })
    )
  }

  for (const [n, { character, greeting }] of demo.entries()) {
    it.effect(`with ${character.display_name}, played as one evening, repeat nothing within ten turns`, () =>
      Effect.gen(function* () {
        const script = SCRIPTS.filter((_, i) => i % demo.length === n).flat()
        const said = (yield* talk(character, script, { greeting })).map(({ reply }) => reply)
        for (const [i, reply] of said.entries()) assert.notInclude(said.slice(Math.max(0, i - 10), i), reply, script[i])
      })
    )
  }
})
