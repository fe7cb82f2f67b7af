import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { topicsAskedIn } from "#src/model/offline/askedTopics.ts"
import { talk } from "#test/support/conversation/talk.ts"
import { characterOf } from "#test/support/conversation/turns.ts"

const mara = characterOf({
  slug: "mara",
  display_name: "Mara",
  voice: { languages: ["en", "pt"] },
  interests: [
    { topic: "tide pools", stance: "like" },
    { topic: "brass bands", stance: "curious" },
    { topic: "wasps", stance: "dislike" }
  ],
  example_dialogues: [
    { user: "what do you do all day", character: "I mend clocks until the light goes." },
    { user: "where do you live", character: "Over the chemist's, three flights up." },
    { user: "are you married", character: "To the shop, mostly." },
    { user: "onde vives?", character: "Por cima da farmácia, no terceiro andar." },
    {
      turns: [
        { role: "user", text: "what was your first job" },
        { role: "character", text: "Sweeping for a watchmaker." },
        { role: "user", text: "how did it go" },
        { role: "character", text: "I swept up a ruby and gave it back." }
      ]
    },
    { user: "good night", character: "Sleep well, then." },
    { user: "my flat was burgled", character: "Then sit. What did they take?" }
  ],
  offline_lines: {
    question_self: ["That one I can't place.", "I have no gear for that."],
    question_world: ["Nobody told me.", "The almanac is silent."]
  }
})

const repliesTo = (...script: ReadonlyArray<string>) =>
  Effect.map(talk(mara, script), (exchanges) => exchanges.map(({ reply }) => reply))

describe("a question in other words", () => {
  it.effect.each([
    ["so what is it you actually do out there", "I mend clocks"],
    ["and where are you based then", "Over the chemist's"],
    ["where do u live", "Over the chemist's"],
    ["u got a bf or nah", "To the shop"],
    ["onde é que tu moras?", "Por cima da farmácia"]
  ] as const)("%j finds the author's answer", ([asked, answer]) =>
    Effect.gen(function* () {
      const [reply = ""] = yield* repliesTo(asked)
      assert.include(reply, answer)
    })
  )

  it.effect("is not answered with an example that shares a word and asks for something else", () =>
    Effect.gen(function* () {
      const [reply = ""] = yield* repliesTo("how can you live with being so lonely")
      assert.notInclude(reply, "chemist")
    })
  )

  it("has no topic if it asks for nothing that many characters have", () => {
    assert.deepStrictEqual([...topicsAskedIn("what is the boiling point of lead")], [])
  })
})

describe("a question that the character cannot answer", () => {
  it.effect("is followed by two topics that the character likes, which are not offered again soon", () =>
    Effect.gen(function* () {
      const [first = "", second = ""] = yield* repliesTo("what is a good bond yield", "who won the cup in 1974")
      assert.match(first, /tide pools|brass bands/)
      assert.notInclude(first, "wasps")
      assert.notMatch(second, /tide pools|brass bands/)
    })
  )
})

describe("a message", () => {
  it.effect("that asks on is answered with what the author wrote next", () =>
    Effect.gen(function* () {
      const [, reply = ""] = yield* repliesTo("what was your first job?", "and how did it go?")
      assert.include(reply, "I swept up a ruby")
    })
  )

  it.effect("that ends with a farewell is answered with one, however long it is", () =>
    Effect.gen(function* () {
      const [reply = ""] = yield* repliesTo(
        "ok this was really interesting and I learned a lot about clocks today, good night"
      )
      assert.include(reply, "Sleep well")
    })
  )

  it.effect("of several sentences is answered at the sentence that the author knows", () =>
    Effect.gen(function* () {
      const [reply = ""] = yield* repliesTo("my flat got burgled last year. they took a ring of hers")
      assert.include(reply, "What did they take?")
    })
  )

  it.effect("that corrects a question or says that it was not answered asks it again", () =>
    Effect.gen(function* () {
      const [, corrected = ""] = yield* repliesTo("what colour is it", "no i meant where do you live")
      assert.include(corrected, "Over the chemist's")
      const [, , again = ""] = yield* repliesTo("where do you live", "hm", "thats not an answer")
      assert.match(again, /before|said|stands|chemist/i)
    })
  )

  it.effect("that begins with thanks is answered at what it tells", () =>
    Effect.gen(function* () {
      const [reply = ""] = yield* repliesTo("thanks. my flat was burgled")
      assert.include(reply, "What did they take?")
    })
  )

  it.effect("that asks for what the character mentions elsewhere finds it", () =>
    Effect.gen(function* () {
      const [reply = ""] = yield* repliesTo("so was there ever a ruby")
      assert.include(reply, "I swept up a ruby")
    })
  )

  it.effect("about someone who died is not answered with small talk about them", () =>
    Effect.gen(function* () {
      const replies = yield* repliesTo("my husband Ron died in march", "hm", "Ron built our shed")
      assert.notMatch(replies[2] ?? "", /Ron/)
    })
  )

  it.effect("that only asks whether it was told already is answered as a statement", () =>
    Effect.gen(function* () {
      const [reply = ""] = yield* repliesTo("I failed my driving test twice, did I tell you that?")
      assert.notMatch(reply, /didn't tell|haven't said|never came up|I'd remember that/)
    })
  )
})
