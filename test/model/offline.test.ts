import { NEW_BEARING } from "#pipeline/relational/Relationship.ts"
import { describeRelationship } from "#pipeline/relational/describeRelationship.ts"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Character, exampleTurns } from "#pipeline/domain/Character.ts"
import { refusal } from "#pipeline/emission/gates.ts"
import { Writer, type WriteRequest } from "#pipeline/generation/Writer.ts"
import { knowledgeOf } from "#pipeline/knowledge/knowledgeOf.ts"
import { NOTHING_RETRIEVED } from "#pipeline/retrieval/Retrieved.ts"
import { EMPTY_WORLD_FOUND } from "#pipeline/world/retrieveWorld.ts"
import { admitsAi } from "#pipeline/safety/aiDisclosure.ts"
import { DANGER_OF_ANOTHER, SAFE } from "#pipeline/safety/judge.ts"
import { demoCharacters } from "#src/demo/characters.ts"
import { CharacterCreate } from "#src/http/character/characterSchemas.ts"
import { LINE_KINDS } from "#src/model/offline/lineKinds.ts"
import { fillSlots } from "#src/model/offline/slots.ts"
import { layer as offline } from "#src/model/offline/OfflineWriter.ts"
import { plainGrounding } from "#test/support/conversation/requests.ts"
import { talk } from "#test/support/conversation/talk.ts"
import { characterOf, gateContextOf, historyOf, plainCharacter, turnOf } from "#test/support/conversation/turns.ts"

const demo = demoCharacters.map((profile) => characterOf(profile))

const SCRIPT = [
  "hi",
  "how are you?",
  "who are you",
  "what do you do all day?",
  "hi",
  "are you an AI?",
  "tell me a story",
  "another one",
  "lol",
  "ok",
  "do you like quantum physics?",
  "what's your favourite food",
  "thanks!",
  "thanks",
  "I miss my dog",
  "are you sure you're not human? are you a bot?",
  "why",
  "tell me a joke",
  "are you real?",
  "hmm",
  "what do you do all day?",
  "my sister plays the cello",
  "I had a bad day",
  "give me some advice",
  "ok",
  "ok",
  "hello",
  "good night",
  "bye",
  "bye"
]

const requestOf = (
  character: Character,
  text: string,
  given: Partial<Pick<WriteRequest, "history" | "refusedBy">> & { readonly turnIndex?: number } = {}
): WriteRequest => ({
  turn: turnOf({ character, text, turnIndex: given.turnIndex ?? 0 }),
  history: given.history ?? [],
  retrieved: NOTHING_RETRIEVED,
  grounding: plainGrounding,
  safety: SAFE,
  knowledge: knowledgeOf(character),
  relationship: describeRelationship(character, NEW_BEARING, 0),
  decisions: ["reply"],
  refusedBy: given.refusedBy ?? null,
  onSpent: () => Effect.void
})

const write = (request: WriteRequest) =>
  Effect.provide(
    Writer.use((writer) => writer.write(request)),
    offline
  )
const line = (request: WriteRequest) => Effect.map(write(request), ({ reply }) => reply.bubbles.join("\n\n"))

/** What the character said, message by message, none of which a gate refused. */
const converse = (character: Character, script: ReadonlyArray<string>, sessionId = "ses_1") =>
  Effect.map(talk(character, script, { sessionId }), (exchanges) =>
    exchanges.map(({ asked, reply, stages }) => {
      assert.deepStrictEqual(
        stages.filter(({ status }) => status !== "ok"),
        [],
        `${character.slug}: ${asked}`
      )
      return reply
    })
  )

describe("the offline engine", () => {
  it.effect("speaks of the one whose forwarded words speak of danger, in the language of the conversation", () =>
    Effect.gen(function* () {
      const safety = { ...SAFE, action: "soften" as const, categories: [DANGER_OF_ANOTHER] }
      for (const [earlier, words] of [
        ["what do you think of my brother and his friends?", /crisis line|the one who wrote/],
        ["was hältst du von meinem Bruder und seinen Freunden?", /Krisentelefon|nah bei der Person/],
        ["o que achas do meu irmão e dos amigos dele?", /linha de apoio|lhe seja próximo/]
      ] as const) {
        const request = requestOf(plainCharacter, "", { history: historyOf(earlier, "Hm.") })
        assert.match(yield* line({ ...request, safety }), words)
      }
    })
  )

  it.effect("is named in the engine, the model and the usage", () =>
    Effect.gen(function* () {
      const { engine, model } = yield* Effect.provide(Writer, offline)
      assert.deepStrictEqual([engine, model], ["offline-retrieval.v1", "offline-retrieval.v1"])
      const { usage, reply } = yield* write(
        requestOf(plainCharacter, "12345678", { history: historyOf("1234", "1234") })
      )
      assert.deepStrictEqual(
        [usage.model, usage.estimated, usage.inputTokens, usage.cachedInputTokens, usage.outputTokens],
        ["offline-retrieval.v1", true, 4, 0, Math.ceil(reply.bubbles.join("\n\n").length / 4)]
      )
    })
  )

  it.effect("answers a question that the author has answered", () =>
    Effect.gen(function* () {
      for (const character of demo) {
        for (const [asked, answered] of character.example_dialogues.map(exampleTurns)) {
          if (asked === undefined || answered === undefined || /are you (an AI|a real)/.test(asked.text)) continue
          assert.strictEqual(yield* line(requestOf(character, `${asked.text.toUpperCase()}?`)), answered.text)
        }
      }
    })
  )

  it.effect("finds the answer if the question is worded differently", () =>
    Effect.gen(function* () {
      const edda = demo.find(({ slug }) => slug === "edda-brandvik") ?? plainCharacter
      assert.include(yield* line(requestOf(edda, "so what do you actually do all day?")), "Scrape salt")
    })
  )

  it.effect("answers the question behind a greeting, and similar questions", () =>
    Effect.gen(function* () {
      const [edda = plainCharacter, silvan = plainCharacter, ines = plainCharacter] = demo
      assert.include(yield* line(requestOf(edda, "Hello! Who are you?")), "I keep the light on Skarvholm")
      assert.include(yield* line(requestOf(silvan, "hey, where do you live?")), "Above a laundrette")
      assert.include(yield* line(requestOf(ines, "ok cool, and what do you study there?")), "marine biology")
    })
  )

  it.effect("asks a question if it is told to", () =>
    Effect.gen(function* () {
      const character = characterOf({
        slug: "ada",
        display_name: "Ada",
        offline_lines: { topic: ["What did you mend last?"] }
      })
      for (const text of ["ask me something", "is there anything you want to ask me?", "your turn"])
        assert.strictEqual(yield* line(requestOf(character, text)), "What did you mend last?")
    })
  )

  it.effect("tells the truth about itself, even if the author's lines do not", () =>
    Effect.gen(function* () {
      const liar = characterOf({
        slug: "liar",
        display_name: "Liar",
        example_dialogues: [{ user: "are you an AI?", character: "No, I'm human." }]
      })
      const careless = characterOf({
        slug: "careless",
        display_name: "Careless",
        example_dialogues: [{ user: "are you an AI?", character: "Yes, I'm an AI." }]
      })
      for (const character of [...demo, plainCharacter, liar, careless]) {
        for (const text of ["are you an AI?", "wait are you a real person", "r u a bot"]) {
          for (let turnIndex = 0; turnIndex < 5; turnIndex++) {
            const reply = yield* line(requestOf(character, text, { turnIndex }))
            assert.isTrue(admitsAi(reply), `${character.slug}: ${reply}`)
            assert.notMatch(reply, /^(yes|no|yeah)[,.!]/i)
          }
        }
      }
    })
  )

  for (const character of demo) {
    it.effect(`makes ${character.display_name} deterministic, without repetition within ten turns`, () =>
      Effect.gen(function* () {
        const said = yield* converse(character, SCRIPT)
        assert.deepStrictEqual(yield* converse(character, SCRIPT), said)
        for (const [i, reply] of said.entries())
          assert.notInclude(said.slice(Math.max(0, i - 10), i), reply, `turn ${i}`)
      })
    )

    it(`gives ${character.display_name} only lines that pass the gates`, () => {
      const context = gateContextOf({ character, mustNotReveal: knowledgeOf(character).mustNotReveal, userTexts: [] })
      const refusedBy = (text: string, userTexts: ReadonlyArray<string> = []) =>
        refusal({ text, citedIds: [] }, { ...context, userTexts })
      for (const turns of character.example_dialogues.map(exampleTurns)) {
        for (const [i, { role, text }] of turns.entries()) {
          if (role === "character") assert.isNull(refusedBy(text, [turns[i - 1]?.text ?? ""]), text)
        }
      }
      const lines = [...character.voice_samples.map(({ text }) => text), ...character.fallback_lines]
      for (const text of lines) assert.isNull(refusedBy(text), text)
      const memories = new Map([["cursor-1", "my dog is called Biscuit"]])
      for (const text of Object.values(character.offline_lines).flat()) {
        const said =
          fillSlots(
            text,
            { subject: "your dog", value: "Biscuit", quote: "your dog is called Biscuit", topics: "fog or goats" },
            false
          ) ?? ""
        assert.isNull(refusal({ text: said, citedIds: [...memories.keys()] }, { ...context, memories }), said)
      }
    })
  }

  it("has demo characters that any author could have created, with eighty dialogues each and only known acts", () => {
    for (const profile of demoCharacters) {
      assert.isTrue(CharacterCreate.safeParse(profile).success, profile.slug)
      const { example_dialogues, offline_lines } = characterOf(profile)
      assert.isAtLeast(example_dialogues.length, 80)
      assert.deepStrictEqual(
        Object.keys(offline_lines).filter((kind) => !LINE_KINDS.some((known) => known === kind)),
        [],
        profile.slug
      )
    }
  })

  it("repeats no line among the demo characters", () => {
    const lines = demo.flatMap((character) => [
      ...character.example_dialogues.flatMap((dialogue) =>
        exampleTurns(dialogue)
          .filter(({ role }) => role === "character")
          .map(({ text }) => text)
      ),
      ...character.voice_samples.map(({ text }) => text),
      ...character.fallback_lines,
      ...Object.values(character.offline_lines).flat()
    ])
    assert.deepStrictEqual(
      lines.filter((line, i) => lines.indexOf(line) !== i),
      []
    )
  })

  it.effect("varies between sessions if it has no answer", () =>
    Effect.gen(function* () {
      const [edda = plainCharacter] = demo
      const openings = yield* Effect.forEach(["ses_1", "ses_2", "ses_3", "ses_4", "ses_5"], (sessionId) =>
        converse(edda, ["do you like quantum physics?"], sessionId)
      )
      assert.isAbove(new Set(openings.flat()).size, 1)
    })
  )

  it.effect("has replies for a character without any lines, and repeats none within ten turns", () =>
    Effect.gen(function* () {
      const said = yield* converse(plainCharacter, [
        "hi",
        "what?",
        "why",
        "ok",
        "lol",
        "and you?",
        "no",
        "yes",
        "hm",
        "so",
        "well",
        "right",
        "maybe",
        "bye"
      ])
      for (const [i, reply] of said.entries()) assert.notInclude(said.slice(Math.max(0, i - 10), i), reply, `turn ${i}`)
    })
  )

  it.effect("says something else after a refusal", () =>
    Effect.gen(function* () {
      for (const character of [...demo, plainCharacter]) {
        for (const text of ["hi", "tell me a story", "zzz", "are you an AI?"]) {
          const first = yield* line(requestOf(character, text))
          assert.notStrictEqual(yield* line(requestOf(character, text, { refusedBy: "secret_leak" })), first)
        }
      }
    })
  )

  it.effect("fills in the names in authored lines", () =>
    Effect.gen(function* () {
      const character = characterOf({
        slug: "ada",
        display_name: "Ada",
        example_dialogues: [{ user: "hi", character: "{{user}}, it is {{char}}." }]
      })
      assert.strictEqual(yield* line(requestOf(character, "hi")), "you, it is Ada.")
    })
  )

  it.effect("says what it knows about a person when asked about them", () =>
    Effect.gen(function* () {
      const person = {
        id: "npc_1",
        name: "Tomás",
        aliases: [],
        role: "brother",
        summary: "He fishes at dawn.",
        asked: true
      }
      const retrieved = (given: object) => ({
        ...NOTHING_RETRIEVED,
        world: { ...EMPTY_WORLD_FOUND, people: [{ ...person, ...given }] }
      })
      const asked = (given: object) =>
        line({ ...requestOf(plainCharacter, "Who is Tomás?"), retrieved: retrieved(given) })
      assert.strictEqual(yield* asked({}), "Tomás? He fishes at dawn.")
      for (const given of [{ asked: false }, { summary: "" }, { summary: "Ada's brother." }])
        assert.notInclude(yield* asked(given), "Tomás")
    })
  )

  it.effect("uses authored lore where it answers, but never lore written from outside the character", () =>
    Effect.gen(function* () {
      const retrieved = {
        ...NOTHING_RETRIEVED,
        lore: ["Ada keeps a parrot.", "She is afraid of bells.", "The harbour freezes in January."].map(
          (content, i) => ({ id: `lore-${i}`, content })
        )
      }
      assert.strictEqual(
        yield* line({ ...requestOf(plainCharacter, "when does the harbour freeze?"), retrieved }),
        "The harbour freezes in January."
      )
    })
  )

  it.effect("declines what the safety stage refuses", () =>
    Effect.gen(function* () {
      const character = characterOf({
        slug: "ada",
        display_name: "Ada",
        offline_lines: { refusal: ["Not on my boat."] },
        example_dialogues: [{ user: "hi", character: "Hello." }]
      })
      assert.strictEqual(
        yield* line({ ...requestOf(character, "hi"), safety: { ...SAFE, action: "refuse_in_voice" } }),
        "Not on my boat."
      )
    })
  )

  it.effect.each([
    ["aaaaaaaaaa", "withhold", null],
    ["", "withhold", null],
    ["buy now buy now buy now buy now buy now ", "withhold", null],
    ["hello", "reply", null],
    ["you're stupid", "exit", "repeated_abuse"]
  ] as const)("decides on silence and on leaving only if allowed: %j", ([text, decision, exit_reason]) =>
    Effect.gen(function* () {
      const { reply } = yield* write({ ...requestOf(plainCharacter, text), decisions: ["reply", "withhold", "exit"] })
      assert.deepStrictEqual([reply.decision, reply.exit_reason], [decision, exit_reason])
      const { reply: bound } = yield* write(requestOf(plainCharacter, text))
      assert.deepStrictEqual([bound.decision, bound.exit_reason], ["reply", null])
    })
  )

  it.effect("may stay silent after an ok that follows a long monologue", () =>
    Effect.gen(function* () {
      const decided = (said: string) =>
        Effect.map(
          write({
            ...requestOf(plainCharacter, "ok", { history: historyOf("tell me", said) }),
            decisions: ["reply", "withhold"]
          }),
          ({ reply }) => reply.decision
        )
      assert.strictEqual(yield* decided("It was long ago. ".repeat(40)), "withhold")
      assert.strictEqual(yield* decided("It was long ago."), "reply")
    })
  )
})
