import { describe, expect, it } from "@effect/vitest"
import type { ChatMessage } from "#pipeline/chat.ts"
import { critiquePrompt, rewritePrompt } from "#pipeline/critic/criticPrompt.ts"
import type { WorldFound } from "#pipeline/world/retrieveWorld.ts"
import { NEUTRAL_MOOD } from "#pipeline/world/arcs.ts"
import { prompt } from "#pipeline/generation/prompt.ts"
import { analyzePrompt } from "#pipeline/grounding/analyzePrompt.ts"
import { historyOf } from "#test/support/conversation/turns.ts"
import { plainGrounding, requestOf } from "#test/support/conversation/requests.ts"

/** Every complete prompt of a turn, so that changes of wording are visible in review. `vitest -u` updates them. */

const history = historyOf("my dog is called Biscuit", "A fine name. Does he bite?", "only the postman", "Sensible.")
const recalled = [
  { role: "user" as const, text: "Nadia plays the cello", cursor: 40, at: new Date("2026-02-03T10:00:00Z"), score: 1 }
]
const remembered = [
  {
    id: "mem_1",
    kind: "fact",
    about: null,
    text: "Nadia is Ben's sister.",
    at: new Date("2026-02-03T10:00:00Z"),
    cursor: 40,
    score: 1.1
  }
]
const loops = [
  {
    id: "lop_1",
    kind: "promise" as const,
    owner: "character" as const,
    text: "Mend the watch by spring",
    due_at: "2026-03-20T12:00:00.000Z",
    priority: 4,
    status: "open" as const,
    evidence: [],
    created_at: "2026-02-03T10:00:00.000Z",
    updated_at: "2026-02-03T10:00:00.000Z"
  }
]
const world: WorldFound = {
  people: [
    {
      id: "npc_1",
      name: "Tomás",
      aliases: ["Tom"],
      role: "younger brother",
      summary: "Fishes at dawn, and says little.",
      asked: true
    },
    { id: "npc_2", name: "Inês", aliases: [], role: "neighbour", summary: "Keeps bees.", asked: false }
  ],
  ties: [
    {
      id: "edg_1",
      from: "Ada",
      relation: "sister of",
      to: "Tomás",
      fact: "She taught Tomás to swim.",
      feeling: "very warm",
      private: false
    },
    {
      id: "edg_2",
      from: "Ada",
      relation: "owes",
      to: "Tomás",
      fact: "She never paid him for the boat.",
      feeling: null,
      private: true
    }
  ],
  beat: {
    storylineId: "stl_1",
    key: "dark",
    premise: "The lighthouse goes dark.",
    summary: "The lamp has failed.",
    guidance: "She is worried and listens to the sea."
  },
  influences: [
    {
      id: "arc_1",
      kind: "mood",
      guidance: "Tired after the storm.",
      effect: { valence: -0.2, arousal: 0, topic: "the storm", score_bias: {} },
      weight: 1
    }
  ],
  mood: NEUTRAL_MOOD,
  unspoken: [],
  untold: []
}
const request = requestOf("what was my sister's name again?", {
  character: {
    voice_samples: [{ text: "Hm. It ticks, so it lives.", situation: "a clock is brought in" }],
    interests: ["tides", { topic: "clocks", stance: "like" }],
    forbidden_style: [
      { kind: "phrase", value: "darling" },
      { kind: "regex", value: "a{3,}" }
    ],
    relationship_posture: { boundaries: ["No talk about her brother"] }
  },
  turn: { turnIndex: 12 },
  request: {
    history,
    retrieved: {
      recalled,
      memories: remembered,
      loops,
      lore: [{ id: "lore-0", content: "The harbour clock is four minutes slow." }],
      evidence: [],
      world,
      examples: [
        [
          { role: "user", text: "busy?" },
          { role: "character", text: "always. tell me anyway" }
        ]
      ]
    },
    grounding: {
      ...plainGrounding,
      addressee: "Ben",
      localTime: "Saturday 21:40",
      character: { localTime: "Saturday 20:40", doing: "closing the shop" },
      intent: "question",
      asksAbout: ["user_past", "character"],
      relevantIds: ["cursor-40"],
      contradictions: [{ memoryId: "cursor-1", userNowSays: "the dog is a cat" }],
      userEmotion: "curious"
    },
    safety: { action: "soften", categories: [], injection: true, boundary: false },
    decisions: ["reply", "withhold"],
    refusedBy: "repetition",
    refusedDraft: { bubbles: ["A fine name.", "Sensible."], wrong: ["A fine name."] }
  }
})

const critiqued = {
  turn: request.turn,
  draft: ["Nadia. How can I help?"],
  before: ["A fine name.", "Sensible."],
  onSpent: request.onSpent
}

const written = (messages: ReadonlyArray<ChatMessage>) =>
  `${messages.map(({ role, content }) => `=== ${role} ===\n${content}`).join("\n\n")}\n`

describe("the prompt", () => {
  it.each([
    ["reply", prompt(request)],
    ["plain-reply", prompt({ ...request, decisions: ["reply"], refusedBy: null }, "plain")],
    [
      "initiative",
      prompt({
        ...request,
        turn: {
          ...request.turn,
          text: "",
          proactive: {
            reason: "event_followup",
            about: "The exam on Friday",
            avoid: ["her brother"],
            welcome: ["the sea"],
            channels: ["telegram_byo"]
          }
        },
        decisions: ["reply", "withhold"],
        refusedBy: "guilt"
      })
    ],
    ["critique", critiquePrompt(critiqued)],
    [
      "rewrite",
      rewritePrompt({
        ...critiqued,
        critique: {
          flaws: [{ bubble: 0, type: "assistant_tone", severity: 4, fix: "no offers of help" }],
          rewrite: true
        }
      })
    ],
    ["analysis", analyzePrompt({ turn: request.turn, history, recalled, remembered, onSpent: request.onSpent })]
  ])("of the %s matches the reviewed file", async (name, messages) => {
    await expect(written(messages)).toMatchFileSnapshot(`golden/${name}.txt`)
  })
})
