import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { demoCharacters } from "#src/demo/characters.ts"
import { talk } from "#test/support/conversation/talk.ts"
import { characterOf } from "#test/support/conversation/turns.ts"

const [edda, silvan, ines] = demoCharacters.map((profile) => characterOf(profile))
const repliesOf = (character: typeof edda, script: ReadonlyArray<string>) =>
  Effect.map(talk(character!, script), (exchanges) => exchanges.map(({ reply }) => reply))

describe("a question after a statement", () => {
  it.effect.each([
    [edda, /barley soup/],
    [silvan, /A lesson at eight/],
    [ines, /noodles/]
  ] as const)("is answered, with a reference to the statement", ([character, answer]) =>
    Effect.gen(function* () {
      const [reply = ""] = yield* repliesOf(character, ["Hi! My dog is called Biscuit. What are you doing tonight?"])
      assert.match(reply, answer)
      assert.include(reply, "Biscuit")
    })
  )

  it.effect("is answered after a reaction to the news", () =>
    Effect.gen(function* () {
      const [reply = ""] = yield* repliesOf(edda, ["I got a promotion today! What should I cook?"])
      assert.match(reply, /\n.*with onion/)
    })
  )

  it.effect("is not followed by a second question", () =>
    Effect.gen(function* () {
      for (const character of [edda, silvan, ines]) {
        const [reply = ""] = yield* repliesOf(character, ["My sister is called Lena. Are you tired?"])
        assert.isAtMost(reply.split("?").length - 1, 1, reply)
      }
    })
  )

  it.effect("does not prevent the statement from being remembered", () =>
    Effect.gen(function* () {
      const [, reply = ""] = yield* repliesOf(silvan, [
        "My dog is called Biscuit. What are you doing tonight?",
        "what's my dog's name?"
      ])
      assert.include(reply, "Biscuit")
    })
  )
})

describe("a small question", () => {
  it.effect.each(["not much, you?", "I'm good, and you?", "fine, hbu"])("%j asks how the character is", (text) =>
    Effect.gen(function* () {
      const [reply = ""] = yield* repliesOf(edda, [text])
      assert.include(reply, "Upright. Fed.")
    })
  )

  it.effect("is not about the character if it is about the person", () =>
    Effect.gen(function* () {
      for (const character of [edda, silvan, ines]) {
        const [reply = ""] = yield* repliesOf(character, ["what's my name?"])
        assert.notInclude(reply, character!.display_name)
      }
    })
  )

  it.effect("lets the character choose the topic", () =>
    Effect.gen(function* () {
      const [reply = ""] = yield* repliesOf(silvan, ["what should we talk about?"])
      assert.include(silvan!.offline_lines["topic"] ?? [], reply)
    })
  )
})

describe("a character of two languages", () => {
  it.effect("answers in the language of the message, and continues in it", () =>
    Effect.gen(function* () {
      const replies = yield* repliesOf(ines, [
        "oi! tudo bem?",
        "de onde és?",
        "o meu cão chama-se Bolacha",
        "haha",
        "como se chama o meu cão?",
        "estou triste hoje",
        "tchau!"
      ])
      assert.match(replies[1] ?? "", /no algarve/)
      assert.match(replies[4] ?? "", /Bolacha/)
      for (const reply of replies) assert.notMatch(reply, /\b(?:the|you|i'm|is|and|my)\b/i)
    })
  )

  it.effect("returns to the other language with the person", () =>
    Effect.gen(function* () {
      const replies = yield* repliesOf(ines, [
        "oi! tudo bem?",
        "sorry, my Portuguese is bad",
        "where are you from?",
        "yeah",
        "do you miss home?"
      ])
      for (const reply of replies.slice(1)) assert.notMatch(reply, /(?<!\p{L})(?:que|não|isso|uma|com)(?!\p{L})/u)
    })
  )

  it.effect("discloses the AI in that language", () =>
    Effect.gen(function* () {
      assert.match((yield* repliesOf(ines, ["és uma pessoa real?"]))[0] ?? "", /não sou uma pessoa/)
    })
  )
})

describe("a language that the character does not speak", () => {
  it.effect("is not understood", () =>
    Effect.gen(function* () {
      const [reply = ""] = yield* repliesOf(edda, ["wie geht es dir heute und was machst du so?"])
      assert.include(edda!.fallback_lines, reply)
    })
  )
})
