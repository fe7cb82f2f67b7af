import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { ChatMessage } from "#pipeline/chat.ts"
import { critiquePrompt, rewritePrompt } from "#pipeline/critic/criticPrompt.ts"
import { decisionsOpen } from "#pipeline/generation/decisions.ts"
import { prompt } from "#pipeline/generation/prompt.ts"
import { analyzePrompt } from "#pipeline/grounding/analyzePrompt.ts"
import { ground } from "#pipeline/grounding/ground.ts"
import { knowledgeOf } from "#pipeline/knowledge/knowledgeOf.ts"
import { NEW_BEARING } from "#pipeline/relational/Relationship.ts"
import { MemoryStore, NOTHING_KNOWN } from "#pipeline/retrieval/MemoryStore.ts"
import { EMPTY_WORLD } from "#pipeline/world/World.ts"
import { WorldStore } from "#pipeline/world/WorldStore.ts"
import { Recall } from "#pipeline/retrieval/Recall.ts"
import { retrieve } from "#pipeline/retrieval/retrieve.ts"
import { Transcript } from "#pipeline/retrieval/Transcript.ts"
import { judge, screen } from "#pipeline/safety/judge.ts"
import { demoCharacters } from "#src/demo/characters.ts"
import { analysisOf, characterOf, turnOf } from "#test/support/conversation/turns.ts"

/**
 * The prompts of each stage of one turn of a demo character, so that changes of wording are visible in review. `vitest
 * -u` updates them.
 */

const [profile] = demoCharacters
const character = characterOf(profile)
const SAID = [
  "hey Edda, it's me again",
  "Evening. Sit anywhere that isn't a goat.",
  "my sister Nadia is visiting",
  "Is she loud?",
  "very. she brought the cello",
  "Then the goats will have opinions.",
  "how was the storm?",
  "Long. The gutter lost.",
  "did you sleep?",
  "In pieces.",
  "same here",
  "Then we're of one mind.",
  "I had soup tonight",
  "What sort?",
  "lentil",
  "Good. It holds.",
  "do you ever get visitors?",
  "The supply boat every second Tuesday. A priest once, by mistake.",
  "a priest!",
  "He blessed a goat.",
  "haha which one",
  "The one that didn't want it.",
  "I believe that",
  "You would."
]
const at = new Date("2026-02-03T21:00:00Z")
const history = SAID.map((text, i) => ({
  role: i % 2 === 0 ? ("user" as const) : ("character" as const),
  text,
  cursor: 100 + i * 3,
  at
}))
const found = [
  {
    role: "user" as const,
    text: "Nadia plays the cello in Oslo",
    cursor: 40,
    at: new Date("2026-01-10T20:00:00Z"),
    score: 1
  }
]
const ports = {
  evidenceStore: { look: () => Effect.succeed({ found: [], failed: false }) },
  loreRecord: { before: () => Effect.succeed({}) },
  transcript: Transcript.of({ before: () => Effect.succeed(history) }),
  recall: Recall.of({ search: () => Effect.succeed({ found, failed: false }) }),
  worldStore: WorldStore.of({ look: () => Effect.succeed({ world: EMPTY_WORLD, failed: false }) }),
  memoryStore: MemoryStore.of({
    look: () =>
      Effect.succeed({
        ...NOTHING_KNOWN,
        memories: [
          {
            id: "mem_01KGHS5T00ANADIAC0LL0CELL0",
            kind: "relationship",
            about: null,
            text: "Ben's sister Nadia plays the cello.",
            at: new Date("2026-01-10T20:00:00Z"),
            cursor: 40,
            score: 1.05
          }
        ],
        loops: [
          {
            id: "lop_01KGHS5T00ANADIAC0LL0CELL0",
            kind: "event_followup" as const,
            owner: "user" as const,
            text: "Nadia's concert in Oslo",
            due_at: "2026-02-05T12:00:00.000Z",
            priority: 4,
            status: "open" as const,
            evidence: [],
            created_at: at.toISOString(),
            updated_at: at.toISOString()
          }
        ],
        bearing: {
          ...NEW_BEARING,
          summary: "Ben writes most evenings. His sister Nadia is visiting.",
          scores: [
            { key: "trust", value: 0.55, updated_at: at.toISOString() },
            { key: "warmth", value: 0.7, updated_at: at.toISOString() }
          ],
          emotion: { label: "amusement", valence: 0.5, arousal: 0.4, updated_at: at.toISOString() }
        }
      })
  })
}
const turn = turnOf({
  character,
  turnIndex: 40,
  replyMode: "deep",
  text: "do you remember what my sister plays, and are you lonely out there?",
  endUser: {
    externalUserRef: "user-1",
    displayName: "Ben",
    timezone: "Europe/London",
    locale: "en-GB",
    ageBand: "adult"
  }
})
const analysis = analysisOf({
  intent: "question",
  asks_about: ["user_past", "character"],
  relevant_memory_ids: ["cursor-40"],
  knows: ["her sister plays the cello"],
  must_not_reveal: [],
  emotion_of_user: "fond"
})
const onSpent = () => Effect.void

const written = (messages: ReadonlyArray<ChatMessage>) =>
  `${messages.map(({ role, content }) => `=== ${role} ===\n${content}`).join("\n\n")}\n`

/** All prompts of the turn, by stage. */
const prompts = Effect.gen(function* () {
  yield* TestClock.setTime(at.getTime())
  const { retrieved, relationship } = yield* retrieve(ports, turn)
  const memories = { history, recalled: retrieved.recalled, remembered: retrieved.memories }
  const grounding = yield* ground(turn, memories, analysis)
  const safety = judge(screen(turn), analysis)
  const decisions = decisionsOpen({ turn, history, grounding, safety, recorded: { boundaries: 0, crisis: false } })
  const request = {
    turn,
    history,
    retrieved,
    grounding,
    safety,
    knowledge: knowledgeOf(character, analysis),
    relationship,
    decisions,
    refusedBy: null,
    onSpent
  }
  const judged = {
    turn,
    draft: ["The cello, you said.", "How can I help you feel less alone?"],
    before: SAID.filter((_, i) => i % 2 === 1).slice(-6),
    onSpent
  }
  return {
    grounding: analyzePrompt({ turn, ...memories, onSpent }),
    generation: prompt(request, "plain"),
    regeneration: prompt(
      {
        ...request,
        refusedBy: "assistant_tell",
        refusedDraft: {
          bubbles: ["The cello, you said.", "How can I help you feel less alone?"],
          wrong: ["How can I help you feel less alone?"]
        }
      },
      "plain"
    ),
    critic: critiquePrompt(judged),
    rewrite: rewritePrompt({
      ...judged,
      critique: {
        flaws: [{ bubble: 1, type: "assistant_tone", severity: 5, fix: "no offers of help; answer about the rock" }],
        rewrite: true
      }
    })
  }
})

describe(`the prompts of ${profile?.display_name}`, () => {
  it.each(["grounding", "generation", "regeneration", "critic", "rewrite"] as const)(
    "in the %s match the reviewed file",
    async (stage) => {
      const messages = (await Effect.runPromise(Effect.provide(prompts, TestClock.layer())))[stage]
      await expect(written(messages)).toMatchFileSnapshot(`golden/${profile?.slug}/${stage}.txt`)
    }
  )
})
