import { describe, expect, it } from "vitest"
import * as z from "zod"
import { CharacterCreate, CharacterPatch } from "#src/http/character/characterSchemas.ts"
import { Emotion } from "#src/http/character/relationshipSchemas.ts"
import { quoteIssues } from "#src/http/server/body/validation.ts"

const minimal = { slug: "mara", display_name: "Mara" }

const refusal = (fields: object): string => {
  const parsed = CharacterCreate.safeParse({ ...minimal, ...fields })
  return parsed.success ? "accepted" : quoteIssues(parsed.error.issues, "body")
}

const letters = (count: number) => "a".repeat(count)
const list = <T>(count: number, item: T): Array<T> => Array.from({ length: count }, () => item)
const dimensions = (count: number) => Array.from({ length: count }, (_, index) => ({ key: `d${index}` }))
const acts = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`act_${index}`, ["Hm."]]))
const turns = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ role: index % 2 === 0 ? "user" : "character", text: "Hm." }))
const dialogue = { user: "Hi", character: "Hm." }
const number = (
  field: string,
  minimum: number,
  maximum: number,
  step: number,
  wrap: (value: object) => object,
  at: string
) =>
  [
    [minimum, minimum - step],
    [maximum, maximum + step]
  ].map(([inside, outside]) => [`${at}.${field}`, wrap({ [field]: inside }), wrap({ [field]: outside })] as const)

const goal = (value: object) => ({ persona: { goals: [{ text: "x", ...value }] } })
const secret = (value: object) => ({ persona: { secrets: [{ text: "x", ...value }] } })
const voice = (value: object) => ({ voice: value })
const lore = (value: object) => ({ world_context: { entries: [{ content: "x", ...value }] } })
const dimension = (value: object) => ({ relationship_posture: { dimensions: [{ key: "trust", ...value }] } })
const mood = (value: object) => ({ baseline_emotion: value })
const threshold = (value: object) => ({ behavioral_thresholds: value })
const delay = (value: object) => ({ life_rhythm: { reply_delay_seconds: value } })

/** Path, a value just inside, a value just outside. */
const bounds: ReadonlyArray<readonly [path: string, inside: object, outside: object]> = [
  ["body.slug", { slug: letters(63) }, { slug: letters(64) }],
  ["body.slug", { slug: "0-a" }, { slug: "-a" }],
  ["body.slug", { slug: "mara" }, { slug: "Mara" }],
  ["body.slug", { slug: "mara" }, { slug: "mara\n" }],
  ["body.display_name", { display_name: "a" }, { display_name: "" }],
  ["body.display_name", { display_name: " a " }, { display_name: "   " }],
  ["body.display_name", { display_name: "🦊".repeat(80) }, { display_name: "🦊".repeat(81) }],
  ["body.visible_bio", { visible_bio: letters(2000) }, { visible_bio: letters(2001) }],
  ["body.persona.summary", { persona: { summary: letters(4000) } }, { persona: { summary: letters(4001) } }],
  ["body.persona.traits", { persona: { traits: list(20, letters(40)) } }, { persona: { traits: list(21, "x") } }],
  ["body.persona.traits[1]", { persona: { traits: ["x", letters(40)] } }, { persona: { traits: ["x", letters(41)] } }],
  ["body.persona.values", { persona: { values: list(10, "x") } }, { persona: { values: list(11, "x") } }],
  ["body.persona.flaws", { persona: { flaws: list(10, "x") } }, { persona: { flaws: list(11, "x") } }],
  [
    "body.persona.goals",
    { persona: { goals: list(10, { text: "x" }) } },
    { persona: { goals: list(11, { text: "x" }) } }
  ],
  ["body.persona.goals[0].text", goal({ text: letters(200) }), goal({ text: letters(201) })],
  ...number("priority", 1, 5, 1, goal, "body.persona.goals[0]"),
  ["body.persona.goals[0].priority", goal({ priority: 2 }), goal({ priority: 2.5 })],
  [
    "body.persona.secrets",
    { persona: { secrets: list(20, { text: "x" }) } },
    { persona: { secrets: list(21, { text: "x" }) } }
  ],
  ["body.persona.secrets[0].text", secret({ text: letters(500) }), secret({ text: letters(501) })],
  ["body.persona.secrets[0].reveal", secret({ reveal: "trusted" }), secret({ reveal: "always" })],
  ...number("min_trust", 0, 1, 0.01, secret, "body.persona.secrets[0]"),
  ["body.interests", { interests: list(30, "tea") }, { interests: list(31, "tea") }],
  ["body.interests[0]", { interests: [letters(300)] }, { interests: [letters(301)] }],
  ["body.interests[0]", { interests: ["tea"] }, { interests: [5] }],
  [
    "body.interests[1].topic",
    { interests: ["tea", { topic: letters(60) }] },
    { interests: ["tea", { topic: letters(61) }] }
  ],
  ["body.interests[0].topic", { interests: [{ topic: "x" }] }, { interests: [{}] }],
  [
    "body.interests[0].stance",
    { interests: [{ topic: "x", stance: "curious" }] },
    { interests: [{ topic: "x", stance: "love" }] }
  ],
  [
    "body.interests[0].detail",
    { interests: [{ topic: "x", detail: letters(300) }] },
    { interests: [{ topic: "x", detail: letters(301) }] }
  ],
  ["body.voice.register", voice({ register: "poetic" }), voice({ register: "rude" })],
  ["body.voice.languages", voice({ languages: list(5, "en") }), voice({ languages: list(6, "en") })],
  ["body.voice.languages[0]", voice({ languages: ["pt-BR"] }), voice({ languages: ["not a tag"] })],
  [
    "body.voice.signature_phrases",
    voice({ signature_phrases: list(10, letters(80)) }),
    voice({ signature_phrases: list(11, "x") })
  ],
  [
    "body.voice.signature_phrases[0]",
    voice({ signature_phrases: [letters(80)] }),
    voice({ signature_phrases: [letters(81)] })
  ],
  ...number("max_bubbles", 1, 6, 1, voice, "body.voice"),
  ...number("max_bubble_chars", 20, 1000, 1, voice, "body.voice"),
  ["body.voice_samples", { voice_samples: list(40, { text: "x" }) }, { voice_samples: list(41, { text: "x" }) }],
  [
    "body.voice_samples[0].text",
    { voice_samples: [{ text: letters(600) }] },
    { voice_samples: [{ text: letters(601) }] }
  ],
  [
    "body.voice_samples[0].situation",
    { voice_samples: [{ text: "x", situation: letters(120) }] },
    { voice_samples: [{ text: "x", situation: letters(121) }] }
  ],
  ["body.example_dialogues", { example_dialogues: list(500, dialogue) }, { example_dialogues: list(501, dialogue) }],
  [
    "body.example_dialogues[0].user",
    { example_dialogues: [{ ...dialogue, user: letters(1000) }] },
    { example_dialogues: [{ ...dialogue, user: letters(1001) }] }
  ],
  [
    "body.example_dialogues[0].character",
    { example_dialogues: [{ ...dialogue, character: letters(2000) }] },
    { example_dialogues: [{ ...dialogue, character: letters(2001) }] }
  ],
  [
    "body.example_dialogues[0].turns",
    { example_dialogues: [{ turns: turns(2) }] },
    { example_dialogues: [{ turns: turns(1) }] }
  ],
  [
    "body.example_dialogues[0].turns",
    { example_dialogues: [{ turns: turns(12) }] },
    { example_dialogues: [{ turns: turns(13) }] }
  ],
  [
    "body.example_dialogues[0].turns",
    { example_dialogues: [{ turns: turns(2) }] },
    { example_dialogues: [{ turns: turns(2), ...dialogue }] }
  ],
  [
    "body.example_dialogues[0].turns[1].role",
    { example_dialogues: [{ turns: turns(2) }] },
    { example_dialogues: [{ turns: [turns(1)[0], { role: "assistant", text: "x" }] }] }
  ],
  [
    "body.forbidden_style",
    { forbidden_style: list(50, { value: "x" }) },
    { forbidden_style: list(51, { value: "x" }) }
  ],
  [
    "body.forbidden_style[0].value",
    { forbidden_style: [{ value: letters(200) }] },
    { forbidden_style: [{ value: letters(201) }] }
  ],
  [
    "body.forbidden_style[0].kind",
    { forbidden_style: [{ kind: "topic", value: "x" }] },
    { forbidden_style: [{ kind: "word", value: "x" }] }
  ],
  [
    "body.forbidden_style[0].reason",
    { forbidden_style: [{ value: "x", reason: letters(200) }] },
    { forbidden_style: [{ value: "x", reason: letters(201) }] }
  ],
  ["body.greeting", { greeting: letters(2400) }, { greeting: letters(2401) }],
  ["body.greeting", { greeting: "Evening." }, { greeting: 7 }],
  ["body.greeting.bubbles", { greeting: { bubbles: list(4, letters(600)) } }, { greeting: { bubbles: list(5, "x") } }],
  ["body.greeting.bubbles", { greeting: { bubbles: ["x"] } }, { greeting: { bubbles: [] } }],
  ["body.greeting.bubbles", { greeting: { mode: "none" } }, { greeting: { mode: "authored" } }],
  ["body.greeting.bubbles[0]", { greeting: { bubbles: [letters(600)] } }, { greeting: { bubbles: [letters(601)] } }],
  [
    "body.greeting.alternates",
    { greeting: { bubbles: ["x"], alternates: list(10, "x") } },
    { greeting: { bubbles: ["x"], alternates: list(11, "x") } }
  ],
  [
    "body.life_rhythm.timezone",
    { life_rhythm: { timezone: "Europe/Berlin" } },
    { life_rhythm: { timezone: "Europe/Atlantis" } }
  ],
  ["body.life_rhythm.timezone", { life_rhythm: { timezone: "UTC" } }, { life_rhythm: { timezone: "+02:00" } }],
  ["body.life_rhythm.wake", { life_rhythm: { wake: "00:00" } }, { life_rhythm: { wake: "7:30" } }],
  ["body.life_rhythm.sleep", { life_rhythm: { sleep: "23:59" } }, { life_rhythm: { sleep: "24:00" } }],
  [
    "body.life_rhythm.busy",
    { life_rhythm: { busy: list(20, { from: "09:00", to: "17:00" }) } },
    { life_rhythm: { busy: list(21, { from: "09:00", to: "17:00" }) } }
  ],
  [
    "body.life_rhythm.busy[0].days[1]",
    { life_rhythm: { busy: [{ days: [0, 6], from: "09:00", to: "17:00" }] } },
    { life_rhythm: { busy: [{ days: [0, 7], from: "09:00", to: "17:00" }] } }
  ],
  ...number("min", 0, 120, 0.5, delay, "body.life_rhythm.reply_delay_seconds"),
  ...number("max", 0, 120, 0.5, delay, "body.life_rhythm.reply_delay_seconds"),
  ["body.life_rhythm.reply_delay_seconds.max", delay({ min: 2, max: 2 }), delay({ min: 2, max: 1 })],
  [
    "body.world_context.summary",
    { world_context: { summary: letters(4000) } },
    { world_context: { summary: letters(4001) } }
  ],
  [
    "body.world_context.scene",
    { world_context: { scene: letters(1000) } },
    { world_context: { scene: letters(1001) } }
  ],
  [
    "body.world_context.entries",
    { world_context: { entries: list(300, { content: "x" }) } },
    { world_context: { entries: list(301, { content: "x" }) } }
  ],
  ["body.world_context.entries[0].keys", lore({ keys: list(20, "x") }), lore({ keys: list(21, "x") })],
  [
    "body.world_context.entries[0].secondary_keys",
    lore({ secondary_keys: list(20, "x") }),
    lore({ secondary_keys: list(21, "x") })
  ],
  ["body.world_context.entries[0].logic", lore({ logic: "not_all" }), lore({ logic: "xor" })],
  ["body.world_context.entries[0].content", lore({ content: letters(2000) }), lore({ content: letters(2001) })],
  ...number("priority", 0, 100, 1, lore, "body.world_context.entries[0]"),
  ...number("probability", 0, 1, 0.01, lore, "body.world_context.entries[0]"),
  ...number("sticky_turns", 0, 50, 1, lore, "body.world_context.entries[0]"),
  ...number("cooldown_turns", 0, 200, 1, lore, "body.world_context.entries[0]"),
  ...number("delay_turns", 0, 200, 1, lore, "body.world_context.entries[0]"),
  ...number("min_trust", 0, 1, 0.01, lore, "body.world_context.entries[0]"),
  [
    "body.relationship_posture.schema",
    { relationship_posture: { schema: "dating" } },
    { relationship_posture: { schema: "marriage" } }
  ],
  [
    "body.relationship_posture.pace",
    { relationship_posture: { pace: "slow" } },
    { relationship_posture: { pace: "glacial" } }
  ],
  [
    "body.relationship_posture.dimensions",
    { relationship_posture: { dimensions: dimensions(8) } },
    { relationship_posture: { dimensions: dimensions(9) } }
  ],
  [
    "body.relationship_posture.dimensions[1].key",
    { relationship_posture: { dimensions: dimensions(2) } },
    { relationship_posture: { dimensions: list(2, { key: "trust" }) } }
  ],
  ...number("start", 0, 1, 0.01, dimension, "body.relationship_posture.dimensions[0]"),
  ...number("baseline", 0, 1, 0.01, dimension, "body.relationship_posture.dimensions[0]"),
  ...number("max_delta_per_turn", 0.005, 0.2, 0.001, dimension, "body.relationship_posture.dimensions[0]"),
  ...number("half_life_days", 1, 365, 0.5, dimension, "body.relationship_posture.dimensions[0]"),
  [
    "body.relationship_posture.boundaries",
    { relationship_posture: { boundaries: list(20, letters(200)) } },
    { relationship_posture: { boundaries: list(21, "x") } }
  ],
  [
    "body.relationship_posture.boundaries[0]",
    { relationship_posture: { boundaries: [letters(200)] } },
    { relationship_posture: { boundaries: [letters(201)] } }
  ],
  ["body.baseline_emotion.label", mood({ label: "grief" }), mood({ label: "hangry" })],
  ...number("valence", -1, 1, 0.01, mood, "body.baseline_emotion"),
  ...number("arousal", 0, 1, 0.01, mood, "body.baseline_emotion"),
  ...number("recovery_half_life_minutes", 5, 10_080, 1, mood, "body.baseline_emotion"),
  ...number("proactivity_tolerance", 0, 1, 0.01, threshold, "body.behavioral_thresholds"),
  ...number("cold_initiate_min_idle_minutes", 5, 1440, 1, threshold, "body.behavioral_thresholds"),
  ...number("session_resume_min_idle_minutes", 0, 1440, 1, threshold, "body.behavioral_thresholds"),
  ...number("session_resume_max_unanswered_character_turns", 0, 20, 1, threshold, "body.behavioral_thresholds"),
  ...number("min_gap_between_initiate_minutes", 0, 1440, 1, threshold, "body.behavioral_thresholds"),
  ...number("daily_initiate_cap", 0, 50, 1, threshold, "body.behavioral_thresholds"),
  ...number("withhold", 0, 1, 0.01, threshold, "body.behavioral_thresholds"),
  ...number("exit", 0, 1, 0.01, threshold, "body.behavioral_thresholds"),
  ...number("disclosure", 0, 1, 0.01, threshold, "body.behavioral_thresholds"),
  [
    "body.behavioral_thresholds.daily_initiate_cap",
    threshold({ daily_initiate_cap: 3 }),
    threshold({ daily_initiate_cap: 3.5 })
  ],
  [
    "body.behavioral_thresholds.proactive_enabled",
    threshold({ proactive_enabled: null }),
    threshold({ proactive_enabled: "yes" })
  ],
  [
    "body.behavioral_thresholds.cold_initiate_enabled",
    threshold({ cold_initiate_enabled: null }),
    threshold({ cold_initiate_enabled: 1 })
  ],
  [
    "body.behavioral_thresholds.session_resume_enabled",
    threshold({ session_resume_enabled: false }),
    threshold({ session_resume_enabled: "no" })
  ],
  ["body.safety.content_rating", { safety: { content_rating: "teen" } }, { safety: { content_rating: "x" } }],
  ["body.safety.age_band", { safety: { age_band: "child" } }, { safety: { age_band: "minor" } }],
  ["body.safety.ai_disclosure", { safety: { ai_disclosure: "explicit" } }, { safety: { ai_disclosure: "never" } }],
  ["body.safety.crisis_locale", { safety: { crisis_locale: "de-DE" } }, { safety: { crisis_locale: "_" } }],
  ["body.fallback_lines", { fallback_lines: list(20, letters(300)) }, { fallback_lines: list(21, "x") }],
  ["body.fallback_lines[0]", { fallback_lines: [letters(300)] }, { fallback_lines: [letters(301)] }],
  ["body.offline_lines", { offline_lines: acts(60) }, { offline_lines: acts(61) }],
  [
    "body.offline_lines.greet",
    { offline_lines: { greet: list(20, "x") } },
    { offline_lines: { greet: list(21, "x") } }
  ],
  ["body.offline_lines.Greet", { offline_lines: { greet: ["x"] } }, { offline_lines: { Greet: ["x"] } }]
]

describe("the character schema", () => {
  it.each(bounds)("limits %s", (path, inside, outside) => {
    expect(refusal(inside)).toBe("accepted")
    const quoted = refusal(outside)
    expect(quoted.slice(0, quoted.indexOf(": "))).toBe(path)
  })

  it.each([
    ["body.slug: Required", { slug: undefined }],
    ["body.display_name: Required", { display_name: undefined }],
    ["body.voice_samples[2].text: Required", { voice_samples: [{ text: "a" }, { text: "b" }, { situation: "c" }] }],
    ["body.example_dialogues[0].character: Required", { example_dialogues: [{ user: "Hi" }] }],
    ["body.example_dialogues[1].user: Required", { example_dialogues: [dialogue, { character: "Hm." }] }],
    [
      "body.example_dialogues[0].user: Required; body.example_dialogues[0].character: Required",
      { example_dialogues: [{}] }
    ],
    [
      "body.example_dialogues[0].turns: Required: at least one character turn",
      { example_dialogues: [{ turns: list(2, { role: "user", text: "Hi" }) }] }
    ],
    ["body.forbidden_style[0]: Invalid input: expected object, received string", { forbidden_style: ["no slang"] }],
    [
      "body.behavioral_thresholds.proactivity_tolerance: Too big: expected number to be <=1",
      threshold({ proactivity_tolerance: 2 })
    ],
    ["body.greeting: Invalid input: expected string or object", { greeting: [] }],
    ["body.voice: Invalid input: expected object, received null", { voice: null }],
    ["body.world_context.entries[0].content: Required", { world_context: { entries: [{ keys: ["inn"] }] } }],
    ["body.relationship_posture.dimensions[0].key: Required", { relationship_posture: { dimensions: [{}] } }]
  ])("reports %s", (message, fields) => {
    expect(refusal(fields)).toBe(message)
  })

  it("accepts the 28 emotions of GoEmotions", () => {
    expect(new Set(Emotion.options).size).toBe(28)
  })

  it("removes unknown keys without complaint", () => {
    expect(CharacterCreate.parse({ ...minimal, colour: "red", voice: { register: "blunt", pitch: 3 } })).toEqual({
      ...minimal,
      voice: { register: "blunt" }
    })
  })

  it("adds nothing to what the author wrote", () => {
    expect(CharacterCreate.parse({ ...minimal, voice: {}, behavioral_thresholds: {} })).toEqual({
      ...minimal,
      voice: {},
      behavioral_thresholds: {}
    })
  })
})

describe("the character patch", () => {
  it("accepts null for every field, also inside objects, and still validates other values", () => {
    const nothing = {
      visible_bio: null,
      voice: null,
      persona: { summary: null },
      greeting: { bubbles: null },
      offline_lines: { greet: null }
    }
    expect(CharacterPatch.parse({ ...nothing, expected_version: 3 })).toEqual({ ...nothing, expected_version: 3 })
    expect(CharacterPatch.parse({})).toEqual({})
    const refused = CharacterPatch.safeParse({
      voice: { max_bubbles: 7 },
      voice_samples: [{}],
      greeting: { bubbles: [] }
    })
    expect(quoteIssues(refused.error?.issues ?? [], "body")).toBe(
      "body.voice.max_bubbles: Too big: expected number to be <=6; body.voice_samples[0].text: Required; " +
        "body.greeting.bubbles: Too small: expected array to have >=1 items"
    )
  })

  it("leaves checks across fields to the merged character", () => {
    expect(
      CharacterPatch.safeParse({ greeting: { alternates: ["Oh."] }, life_rhythm: { reply_delay_seconds: { min: 9 } } })
        .success
    ).toBe(true)
  })
})

describe("the JSON schema of a character", () => {
  it("shows the limits that are checked in code", () => {
    const schema = z.toJSONSchema(CharacterCreate, { target: "draft-2020-12", io: "input" })
    expect(schema).toMatchObject({
      required: ["slug", "display_name"],
      properties: {
        display_name: { type: "string", minLength: 1, maxLength: 80 },
        life_rhythm: { properties: { timezone: { type: "string", maxLength: 64, description: "IANA timezone" } } },
        example_dialogues: { items: { anyOf: [{ required: ["user", "character"] }, { required: ["turns"] }] } }
      }
    })
  })

  it("keeps the descriptions in the patch and makes nothing required there", () => {
    const schema = z.toJSONSchema(CharacterPatch, { target: "draft-2020-12", io: "input" })
    expect(schema).not.toHaveProperty("required")
    expect(schema).toMatchObject({
      properties: {
        visible_bio: { description: "Public description" },
        voice: { anyOf: [{ type: "object", description: "How the character writes" }, { type: "null" }] }
      }
    })
  })
})
