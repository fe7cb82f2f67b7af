import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { talk } from "#test/support/conversation/talk.ts"
import { characterOf } from "#test/support/conversation/turns.ts"

const of = (fields: object) => characterOf({ slug: "ada", display_name: "Ada", ...fields })
const said = (fields: object, ...script: ReadonlyArray<string>) =>
  Effect.map(talk(of(fields), script), (exchanges) => exchanges.map(({ reply }) => reply))

describe("the character's voice in the offline engine", () => {
  it.effect("uses the author's lines for an act before the engine's own", () =>
    Effect.gen(function* () {
      const offline_lines = {
        bad_news: ["Sit down by the fire."],
        recall: ["{{value}}, I carved it in the table."],
        about_pet: ["And where does {{subject}} sleep?"]
      }
      assert.deepStrictEqual(
        yield* said({ offline_lines }, "my cat is called Olive", "I had a terrible week", "what is my cat called?"),
        ["And where does Olive sleep?", "Sit down by the fire.", "Olive, I carved it in the table."]
      )
    })
  )

  it.effect("skips a line whose slot cannot be filled, and lines for unknown acts", () =>
    Effect.gen(function* () {
      const [reply = ""] = yield* said(
        { offline_lines: { greeting: ["Hello, {{value}}."], greets: ["Never said."] } },
        "hi"
      )
      assert.notMatch(reply, /\{\{|Never/)
    })
  )

  it.effect("starts a sentence with a capital, even if it is the person's word", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* said(
          { offline_lines: { recall: ["{{value}}. {{subject}}, was it?"] } },
          "I hate mushrooms",
          "what do I hate?"
        ).pipe(Effect.map((all) => all.at(-1))),
        "Mushrooms. What you can't stand, was it?"
      )
    })
  )

  it.effect("writes its own lines in lower case if the author does", () =>
    Effect.gen(function* () {
      const lower = { voice_samples: [{ text: "it rains." }, { text: "the kettle's on" }] }
      for (const reply of yield* said(
        lower,
        "hi",
        "I have a dog",
        "what's my name?",
        "tell me a joke",
        "thanks",
        "bye"
      ))
        assert.strictEqual(reply, reply.toLowerCase())
    })
  )

  it.effect("omits emoji if they are off, and most of them if they are to be rare", () =>
    Effect.gen(function* () {
      const joke = ["one 🙂", "two 🙂🙂", "three 👩‍🚀", "four 🇵🇹", "five ❤️"]
      const script = joke.map(() => "tell me a joke")
      const none = yield* said({ voice: { emoji: "none" }, offline_lines: { joke } }, ...script)
      assert.deepStrictEqual(none.toSorted(), ["five", "four", "one", "three", "two"])
      const rare = yield* said({ voice: { emoji: "rare" }, offline_lines: { joke } }, ...script)
      const with_emoji = rare.flatMap((reply, i) => (/\p{Extended_Pictographic}|\p{RI}/u.test(reply) ? [i] : []))
      assert.deepStrictEqual(with_emoji, [0, 4])
      const often = yield* said({ voice: { emoji: "often" }, offline_lines: { joke } }, ...script)
      assert.deepStrictEqual(often.toSorted(), joke.toSorted())
    })
  )

  it.effect("uses a signature phrase in at most one of four replies", () =>
    Effect.gen(function* () {
      const joke = [
        "Well, my dear friend, it rains.",
        "It snows, my dear friend.",
        "My dear friend, it hails.",
        "It thaws. My dear friend.",
        "The fog, my dear friend, is thick.",
        "It is dry, my dear friend, and cold."
      ]
      const replies = yield* said(
        { voice: { signature_phrases: ["my dear friend"] }, offline_lines: { joke } },
        ...joke.map(() => "tell me a joke")
      )
      const signed = replies.flatMap((reply, i) => (/my dear friend/i.test(reply) ? [i] : []))
      assert.deepStrictEqual(signed, [0, 4])
      const bare = [
        "Well, it rains.",
        "It snows.",
        "It hails.",
        "It thaws.",
        "The fog is thick.",
        "It is dry, and cold."
      ]
      for (const reply of replies) assert.include([...joke, ...bare], reply)
    })
  )

  it.effect("never uses what the author forbids", () =>
    Effect.gen(function* () {
      const forbidden_style = [
        { value: "Listening" },
        { kind: "regex", value: "\\bhello\\b" },
        { kind: "behavior", value: "go" }
      ]
      const offline_lines = { greeting: ["Hello, stranger.", "I'm listening.", "Come in, go on."] }
      for (const sessionId of ["ses_1", "ses_2", "ses_3", "ses_4"]) {
        const [exchange] = yield* talk(of({ forbidden_style, offline_lines }), ["hi"], { sessionId })
        assert.strictEqual(exchange?.reply, "Come in, go on.")
      }
    })
  )

  it.effect("continues an author's dialogue when the person asks further", () =>
    Effect.gen(function* () {
      const turns = [
        { role: "user", text: "do you sail?" },
        { role: "character", text: "I did, once." },
        { role: "user", text: "what happened?" },
        { role: "character", text: "The boat had other plans." }
      ]
      assert.deepStrictEqual(yield* said({ example_dialogues: [{ turns }] }, "do you sail?", "and then?"), [
        "I did, once.",
        "The boat had other plans."
      ])
      const [first, second] = yield* said({ example_dialogues: [{ turns }] }, "do you sail?", "I live in Leeds")
      assert.strictEqual(first, "I did, once.")
      assert.notStrictEqual(second, "The boat had other plans.")
    })
  )

  it.effect("stays with a person who has shared something sad", () =>
    Effect.gen(function* () {
      const offline_lines = {
        comfort: ["I'm with you.", "Slowly.", "Yes."],
        topic: ["What's for lunch?"],
        answer: ["Ha!"]
      }
      const replies = yield* said(
        { offline_lines, voice_samples: [{ text: "Soup is on." }] },
        "my dog died",
        "seventeen years",
        "ok",
        "he slept on my feet"
      )
      assert.sameMembers(replies.slice(1), offline_lines.comfort)
    })
  )
})
