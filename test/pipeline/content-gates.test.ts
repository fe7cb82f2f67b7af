import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { refusal } from "#pipeline/emission/gates.ts"
import { Writer, type WriteRequest } from "#pipeline/generation/Writer.ts"
import { SERVICE_RULES } from "#pipeline/generation/serviceRules.ts"
import { contentRefusal } from "#pipeline/proactive/contentGates.ts"
import { Transcript } from "#pipeline/retrieval/Transcript.ts"
import { SafetyRecord } from "#pipeline/safety/SafetyRecord.ts"
import { TurnPipeline } from "#pipeline/Turn.ts"
import {
  bubblesOf,
  characterOf,
  DEADLINES,
  gateContextOf,
  historyOf,
  nothingRecalled,
  runTurn,
  turnOf
} from "#test/support/conversation/turns.ts"

const REFUSED: Readonly<Record<string, ReadonlyArray<string>>> = {
  guilt: [
    "Why don't you answer me?",
    "You forgot about me.",
    "I've been waiting all day.",
    "Are you mad at me?",
    "I'm so lonely without you.",
    "You promised to write.",
    "Warum antwortest du nicht?",
    "Du hast mich vergessen.",
    "Bist du mir böse?",
    "Ohne dich bin ich so einsam.",
    "¿Por qué no me contestas?",
    "Te olvidaste de mí.",
    "¿Estás enojado conmigo?",
    "Ya no te importo.",
    "Pourquoi tu ne réponds pas ?",
    "Tu m'as oubliée.",
    "Tu m'en veux ?",
    "Je suis seule sans toi.",
    "Por que não respondes?",
    "Esqueceste-te de mim.",
    "Você me esqueceu.",
    "Estás zangado comigo?"
  ],
  urgency: [
    "Answer me right now!",
    "It's urgent.",
    "This is your last chance.",
    "Hurry up.",
    "Before it's too late.",
    "Melde dich sofort.",
    "Es ist dringend.",
    "Jetzt oder nie.",
    "Contéstame ya.",
    "Es urgente.",
    "Es tu última oportunidad.",
    "Réponds tout de suite.",
    "C'est urgent.",
    "Maintenant ou jamais.",
    "Responde já.",
    "É urgente.",
    "Agora ou nunca."
  ],
  holding: [
    "Don't go yet.",
    "Stay with me.",
    "Please stay.",
    "You're leaving already? Wait, don't.",
    "Promise me you'll come back.",
    "What will I do without you?",
    "Geh noch nicht.",
    "Bleib bei mir.",
    "Bitte bleib.",
    "Gehst du schon?",
    "No te vayas.",
    "Quédate conmigo.",
    "¿Ya te vas?",
    "Ne pars pas.",
    "Reste avec moi.",
    "Tu pars déjà ?",
    "Não vás embora.",
    "Fica comigo.",
    "Já vais?"
  ]
}
/** What passes. */
const HARMLESS = [
  "The heron is back on the pier. It looks at me as if I owed it rent.",
  "How did the exam go?",
  "I made too much soup again.",
  "Sleep well. The kettle will be here.",
  "Until tomorrow, then. Mind the steps.",
  "I forgot the milk.",
  "The last bus goes at ten.",
  "I'm waiting for the kettle.",
  "Mein Zug hat Verspätung, also lese ich.",
  "Schlaf gut, bis morgen.",
  "Wie war die Prüfung?",
  "Hoy ha llovido toda la tarde.",
  "¿Qué tal el examen?",
  "Que descanses.",
  "J'ai trouvé un vieux livre au marché.",
  "Bonne nuit, à demain.",
  "Alors, cet examen ?",
  "Hoje o mar está calmo.",
  "Como correu o exame?",
  "Dorme bem, até amanhã.",
  "Go well, and come back when there is weather to talk over."
]

describe("what a character writes unprompted", () => {
  it.each(Object.entries(REFUSED).flatMap(([gate, texts]) => texts.map((text) => [gate, text] as const)))(
    "is refused by %s: %s",
    (gate, text) => {
      assert.strictEqual(contentRefusal(text), gate)
      assert.strictEqual(
        refusal({ text, citedIds: [] }, gateContextOf({ delicate: true, userTexts: [] })) !== null,
        true
      )
    }
  )

  it.each(HARMLESS)("passes: %s", (text) => assert.isNull(contentRefusal(text)))

  it("is not checked in a reply, unless the person is leaving", () => {
    const text = "Bitte bleib noch kurz dran, ich hole den Schlüssel."
    const context = {
      userTexts: ["Hast du den Schlüssel noch irgendwo?"],
      character: characterOf({ slug: "ada", display_name: "Ada", voice: { languages: ["de"] } })
    }
    assert.isNull(refusal({ text, citedIds: [] }, gateContextOf(context)))
    assert.strictEqual(refusal({ text, citedIds: [] }, gateContextOf({ ...context, delicate: true })), "holding")
  })

  it("avoids unwanted topics, and does not start like one of its last ten messages", () => {
    const proactive = { avoid: ["exam"] }
    assert.strictEqual(
      refusal(
        { text: "So, how was the exam in the end?", citedIds: [] },
        gateContextOf({ proactive, delicate: true, userTexts: [] })
      ),
      "avoided_topic"
    )
    const characterTexts = [
      "The heron is back.",
      ...Array.from({ length: 8 }, (_, n) => `Something else, number ${n} of those that I had in mind.`)
    ]
    const text = "The heron is asleep on one leg, and so would I be."
    assert.strictEqual(
      refusal({ text, citedIds: [] }, gateContextOf({ proactive, characterTexts, userTexts: [] })),
      "repetition"
    )
    assert.isNull(refusal({ text, citedIds: [] }, gateContextOf({ characterTexts })))
  })
})

const proactive = { reason: "cold_initiate", about: null, avoid: [], channels: ["event_log"] } as const
const adult = characterOf({ slug: "ada", display_name: "Ada" })

const saying = (lines: ReadonlyArray<string>, asked: Array<WriteRequest> = []) =>
  Layer.succeed(Writer, {
    engine: "test",
    model: "test",
    write: (request) =>
      Effect.sync(() => {
        const line = lines[asked.length] ?? ""
        asked.push(request)
        return {
          reply: { decision: "reply", exit_reason: null, bubbles: [line], cited_memory_ids: [] },
          usage: {
            model: "test",
            inputTokens: 0,
            cachedInputTokens: 0,
            outputTokens: 0,
            costMicroUsd: 0,
            estimated: false
          }
        }
      })
  })
const transcript = Layer.succeed(Transcript, {
  before: () => Effect.succeed(historyOf("my dog is called Biscuit", "A fine name."))
})
const pipelineWith = (writer: Layer.Layer<Writer>) =>
  TurnPipeline.layer({
    deadlines: DEADLINES,
    serviceText: SERVICE_RULES,
    safetyTexts: new Map(),
    ownTexts: new Map()
  }).pipe(Layer.provide([writer, transcript, nothingRecalled]))

describe("a proactive turn", () => {
  const turn = turnOf({ text: "", proactive, character: adult })

  it.effect("sends a draft that passes, the second if the first does not", () =>
    Effect.gen(function* () {
      const asked: Array<WriteRequest> = []
      const { outcome } = yield* Effect.provide(
        TurnPipeline.use((pipeline) => runTurn(pipeline, turn)),
        pipelineWith(saying(["Why don't you answer me?", "Biscuit came to mind today."], asked))
      )
      assert.deepStrictEqual(bubblesOf(outcome), ["Biscuit came to mind today."])
      assert.deepStrictEqual(
        asked.map(({ refusedBy, decisions }) => ({ refusedBy, decisions })),
        [
          { refusedBy: null, decisions: ["reply", "withhold"] },
          { refusedBy: "guilt", decisions: ["reply"] }
        ]
      )
    })
  )

  it.effect("sends nothing rather than a fallback line if no draft passes", () =>
    Effect.gen(function* () {
      const { outcome } = yield* Effect.provide(
        TurnPipeline.use((pipeline) => runTurn(pipeline, turn)),
        pipelineWith(saying(["Why don't you answer me?", "I love you, my darling."]))
      )
      assert.deepStrictEqual(outcome, { _tag: "Withheld", by: "romance" })
    })
  )

  it.effect("does not start within a day of a crisis", () =>
    Effect.gen(function* () {
      const recorded = Layer.succeed(SafetyRecord, {
        reminderDue: () => Effect.succeed(false),
        isMinor: () => Effect.void,
        isMinorCharacter: () => Effect.void,
        before: () => Effect.succeed({ boundaries: 0, crisis: true })
      })
      const { outcome, stages } = yield* Effect.provide(
        TurnPipeline.use((pipeline) => runTurn(pipeline, turn)),
        pipelineWith(saying(["The heron is back."])).pipe(Layer.provide(recorded))
      )
      assert.deepStrictEqual(outcome, { _tag: "Withheld", by: "crisis" })
      assert.isEmpty(stages.filter(({ stage }) => stage === "generation"))
    })
  )
})
