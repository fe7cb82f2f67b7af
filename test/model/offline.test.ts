import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Character, exampleTurns } from "#pipeline/domain/Character.ts"
import { refusal } from "#pipeline/emission/gates.ts"
import { Writer, type WriteRequest } from "#pipeline/generation/Writer.ts"
import { know } from "#pipeline/knowledge/know.ts"
import { NOTHING_RETRIEVED } from "#pipeline/retrieval/Retrieved.ts"
import { Transcript, type Utterance } from "#pipeline/retrieval/Transcript.ts"
import { admitsMachine } from "#pipeline/safety/candour.ts"
import { SAFE } from "#pipeline/safety/judge.ts"
import { TurnPipeline } from "#pipeline/Turn.ts"
import { demoCharacters } from "#src/demo/characters.ts"
import { layer as offline } from "#src/model/offline/OfflineWriter.ts"
import { plainGrounding } from "#test/support/requests.ts"
import { bubblesOf, characterOf, DEADLINES, gateContextOf, historyOf, nothingRecalled, plainCharacter, runTurn, turnOf } from "#test/support/turns.ts"

const demo = demoCharacters.map((profile) => characterOf(profile))

const SCRIPT = [
  "hi", "how are you?", "who are you", "what do you do all day?", "hi", "are you an AI?", "tell me a story", "another one", "lol", "ok",
  "do you like quantum physics?", "what's your favourite food", "thanks!", "thanks", "I miss my dog", "are you sure you're not human? are you a bot?", "why", "tell me a joke",
  "are you real?", "hmm", "what do you do all day?", "my sister plays the cello", "I had a bad day", "give me some advice", "ok", "ok", "hello", "good night", "bye", "bye"
]

const requestOf = (character: Character, text: string, given: Partial<Pick<WriteRequest, "history" | "refusedBy">> & { readonly turnIndex?: number } = {}): WriteRequest => ({
  turn: turnOf({ character, text, turnIndex: given.turnIndex ?? 0 }),
  history: given.history ?? [],
  retrieved: NOTHING_RETRIEVED,
  grounding: plainGrounding,
  safety: SAFE,
  knowledge: know(character),
  decisions: ["reply"],
  refusedBy: given.refusedBy ?? null,
  onSpent: () => Effect.void
})

const write = (request: WriteRequest) => Effect.provide(Writer.use((writer) => writer.write(request)), offline)
const line = (request: WriteRequest) => Effect.map(write(request), ({ reply }) => reply.bubbles.join("\n\n"))

/** Talks through the script by the whole pipeline; answers what the character said, message by message. */
const converse = (character: Character, script: ReadonlyArray<string>, sessionId = "ses_1") => Effect.gen(function*() {
  const history: Array<Utterance> = []
  const transcript = Layer.succeed(Transcript, { before: (_, limit) => Effect.sync(() => history.slice(-limit)) })
  const pipeline = TurnPipeline.layer({ deadlines: DEADLINES, serviceText: "", safetyTexts: new Map() })
  const turns = yield* Effect.provide(TurnPipeline, pipeline.pipe(Layer.provide([transcript, nothingRecalled, offline])))
  const said: Array<string> = []
  for (const [turnIndex, text] of script.entries()) {
    const { outcome, stages } = yield* runTurn(turns, turnOf({ sessionId, turnIndex, character, text }))
    assert.deepStrictEqual(stages.filter(({ status }) => status !== "ok"), [], `${character.slug}: ${text}`)
    const reply = bubblesOf(outcome).join("\n")
    said.push(reply)
    const at = new Date(0)
    history.push({ role: "user", text, cursor: turnIndex * 3, at }, { role: "character", text: reply, cursor: turnIndex * 3 + 2, at })
  }
  return said
})

describe("the offline engine", () => {
  it.effect("names itself in the engine, the model and the usage", () => Effect.gen(function*() {
    const { engine, model } = yield* Effect.provide(Writer, offline)
    assert.deepStrictEqual([engine, model], ["offline-retrieval.v1", "offline-retrieval.v1"])
    const { usage, reply } = yield* write(requestOf(plainCharacter, "12345678", { history: historyOf("1234", "1234") }))
    assert.deepStrictEqual(
      [usage.model, usage.estimated, usage.inputTokens, usage.cachedInputTokens, usage.outputTokens],
      ["offline-retrieval.v1", true, 4, 0, Math.ceil(reply.bubbles.join("\n\n").length / 4)]
    )
  }))

  it.effect("answers a question that the author answered", () => Effect.gen(function*() {
    for (const character of demo) {
      for (const [asked, answered] of character.example_dialogues.map(exampleTurns)) {
        if (asked === undefined || answered === undefined || /are you (an AI|a real)/.test(asked.text)) continue
        assert.strictEqual(yield* line(requestOf(character, `${asked.text.toUpperCase()}?`)), answered.text)
      }
    }
  }))

  it.effect("finds the answer when the question is put a little differently", () => Effect.gen(function*() {
    const edda = demo.find(({ slug }) => slug === "edda-brandvik") ?? plainCharacter
    assert.include(yield* line(requestOf(edda, "so what do you actually do all day?")), "Scrape salt")
  }))

  it.effect("says the truth about itself, also where the author did not", () => Effect.gen(function*() {
    const liar = characterOf({ slug: "liar", display_name: "Liar", example_dialogues: [{ user: "are you an AI?", character: "No, I'm human." }] })
    const careless = characterOf({ slug: "careless", display_name: "Careless", example_dialogues: [{ user: "are you an AI?", character: "Yes, I'm an AI." }] })
    for (const character of [...demo, plainCharacter, liar, careless]) {
      for (const text of ["are you an AI?", "wait are you a real person", "r u a bot"]) {
        for (let turnIndex = 0; turnIndex < 5; turnIndex++) {
          const reply = yield* line(requestOf(character, text, { turnIndex }))
          assert.isTrue(admitsMachine(reply), `${character.slug}: ${reply}`)
          assert.notMatch(reply, /^(yes|no|yeah)[,.!]/i)
        }
      }
    }
  }))

  for (const character of demo) {
    it.effect(`lets ${character.display_name} say the same words in the same conversation, and nothing twice within ten turns`, () => Effect.gen(function*() {
      const said = yield* converse(character, SCRIPT)
      assert.deepStrictEqual(yield* converse(character, SCRIPT), said)
      for (const [i, reply] of said.entries()) assert.notInclude(said.slice(Math.max(0, i - 10), i), reply, `turn ${i}`)
    }))

    it(`gives ${character.display_name} only lines that the gates let pass`, () => {
      const context = gateContextOf({ character, mustNotReveal: know(character).mustNotReveal, userTexts: [] })
      const refusedBy = (text: string, userTexts: ReadonlyArray<string> = []) => refusal({ text, citedIds: [] }, { ...context, userTexts })
      for (const [asked, answered] of character.example_dialogues.map(exampleTurns)) {
        assert.isNull(refusedBy(answered?.text ?? "", [asked?.text ?? ""]), answered?.text)
      }
      for (const { text } of character.voice_samples) assert.isNull(refusedBy(text), text)
      for (const text of character.fallback_lines) assert.isNull(refusedBy(text), text)
    })
  }

  it.effect("says different things in different sessions when it has no answer", () => Effect.gen(function*() {
    const [edda = plainCharacter] = demo
    const openings = yield* Effect.forEach(["ses_1", "ses_2", "ses_3", "ses_4", "ses_5"], (sessionId) => converse(edda, ["do you like quantum physics?"], sessionId))
    assert.isAbove(new Set(openings.flat()).size, 1)
  }))

  it.effect("has something to say for a character without any lines, and nothing twice within ten turns", () => Effect.gen(function*() {
    const said = yield* converse(plainCharacter, ["hi", "what?", "why", "ok", "lol", "and you?", "no", "yes", "hm", "so", "well", "right", "maybe", "bye"])
    for (const [i, reply] of said.entries()) assert.notInclude(said.slice(Math.max(0, i - 10), i), reply, `turn ${i}`)
  }))

  it.effect("says something else after a refusal", () => Effect.gen(function*() {
    for (const character of [...demo, plainCharacter]) {
      for (const text of ["hi", "tell me a story", "zzz", "are you an AI?"]) {
        const first = yield* line(requestOf(character, text))
        assert.notStrictEqual(yield* line(requestOf(character, text, { refusedBy: "secret_leak" })), first)
      }
    }
  }))

  it.effect("fills the names that authored lines leave open", () => Effect.gen(function*() {
    const character = characterOf({ slug: "ada", display_name: "Ada", example_dialogues: [{ user: "hi", character: "{{user}}, it is {{char}}." }] })
    assert.strictEqual(yield* line(requestOf(character, "hi")), "you, it is Ada.")
  }))
})
