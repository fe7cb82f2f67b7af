import { assert, describe, it } from "@effect/vitest"
import { makesFalseClaim } from "#pipeline/emission/memoryClaims.ts"
import { mentions } from "#pipeline/emission/mentions.ts"
import { mayAnswer } from "#pipeline/grounding/answers.ts"
import { candidatesOf } from "#pipeline/proactive/candidates.ts"
import type { Facts } from "#pipeline/proactive/Facts.ts"
import { loreChecks } from "#pipeline/readiness/loreChecks.ts"
import { NO_PREFERENCES } from "#pipeline/relational/Relationship.ts"
import { sharedWith } from "#pipeline/relational/gist.ts"
import { maskOf } from "#pipeline/retrieval/maskForgotten.ts"
import { Phrases } from "#pipeline/retrieval/Phrases.ts"
import { loreFor } from "#pipeline/retrieval/lore.ts"
import type { Utterance } from "#pipeline/retrieval/Transcript.ts"
import { WordForms } from "#pipeline/retrieval/WordForms.ts"
import { wordsMatch } from "#pipeline/retrieval/wordsMatch.ts"
import { entering } from "#pipeline/world/storylines.ts"
import { retrieveWorld } from "#pipeline/world/retrieveWorld.ts"
import { hasWholeWord } from "#pipeline/wholeWords.ts"
import { EMPTY_WORLD, type Npc, type Storyline } from "#pipeline/world/World.ts"
import { slowOver } from "#test/support/effort/slowest.ts"
import { characterOf, turnOf } from "#test/support/conversation/turns.ts"

const MAX_MS = 50
const LENGTH = 32_000

const filled = (part: string, length = LENGTH): string => part.repeat(Math.ceil(length / part.length)).slice(0, length)
const name = (n: number): string => n.toString(36).replaceAll(/\d/g, (digit) => "ghijklmnop".charAt(Number(digit)))
/** Thousands of different words. */
const wordy = (seed: number, gap = " "): string =>
  Array.from({ length: LENGTH / 6 }, (_, n) => name(1_000_000 + ((n * 7919 + seed) % 46_656) * 1000))
    .join(gap)
    .slice(0, LENGTH)
const TEXTS = [filled("a "), filled("a"), filled("hello there "), filled("漢字"), filled("!"), wordy(1), wordy(1, ". ")]
const history = (text: string): ReadonlyArray<Utterance> =>
  Array.from({ length: 24 }, (_, n) => ({ role: n % 2 ? "character" : "user", text, cursor: n, at: new Date(0) }))

const KEYS: Readonly<Record<string, (n: number) => string>> = {
  "near misses of words": (n) => `b${name(n)} ${filled("a ", 90)}`.trim(),
  "near misses at the end": (n) => filled("a", 90) + name(n),
  "near misses in the middle": (n) => filled("a", 40) + name(n) + filled("a", 40),
  short: name,
  Chinese: (n) => `漢${String.fromCharCode(0x4e00 + n)}`,
  signs: (n) => "!".repeat(60) + String.fromCharCode(0x2600 + (n % 100)) + "?".repeat(n / 200)
}

describe("many small items and a long message take little time together", () => {
  it.each(Object.keys(KEYS))("6,000 keys of a lore: %s", (kind) => {
    for (const options of [{}, { whole_words: false }, { case_sensitive: true }]) {
      const keyOf = KEYS[kind] ?? name
      const entries = Array.from({ length: 300 }, (_, entry) => ({
        content: "x",
        keys: Array.from({ length: 20 }, (_, key) => keyOf(entry * 20 + key)),
        ...options
      }))
      const character = characterOf({ slug: "ada", display_name: "Ada", world_context: { entries } })
      loreFor(turnOf({ character }), [], {})
      assert.deepStrictEqual(
        slowOver(TEXTS, MAX_MS, (text) => loreFor(turnOf({ character, text }), history(text), {})),
        []
      )
    }
  })

  it("the words of a message and those of other long texts", () => {
    const others = [0, 2, 3, 4].map((seed) => wordy(seed))
    const calls: ReadonlyArray<(text: string) => unknown> = [
      (text) => others.map(mayAnswer(text)),
      (text) => others.map(sharedWith(text)),
      (text) => makesFalseClaim(`You told me ${text}`, { theirs: others, own: others })
    ]
    for (const call of calls) assert.deepStrictEqual(slowOver(TEXTS, MAX_MS, call), [])
  })

  it("the groups and chances of a lore", () => {
    const entries = Array.from({ length: 300 }, (_, entry) => ({
      content: "x",
      constant: true,
      probability: 0.9,
      group: Array.from({ length: 20 }, (_, group) => name(entry * 20 + group))
        .join(",")
        .slice(0, 60)
    }))
    const character = characterOf({ slug: "ada", display_name: "Ada", world_context: { entries } })
    assert.deepStrictEqual(
      slowOver(TEXTS, MAX_MS, (text) => loreFor(turnOf({ character, text }), history(text), {})),
      []
    )
  })

  it.each([
    ["that contain each other", (n: number) => filled("a ", 100 - (n % 20))],
    ["with many words", (n: number) => `b${name(n)} ${filled("a ", 90)}`.trim()],
    ["in Chinese", (n: number) => `漢${String.fromCharCode(0x4e00 + n)}`]
  ])("a check of 12,000 keys of a lore: keys %s", (_, keyOf) => {
    for (const logic of ["not_any", "not_all"] as const) {
      const entries = Array.from({ length: 300 }, (_, entry) => ({
        content: "x",
        keys: Array.from({ length: 20 }, (_, key) => keyOf(entry * 20 + key)),
        secondary_keys: [...Array.from({ length: 19 }, (_, key) => keyOf(entry * 20 + key).slice(0, 60)), "zebra"],
        logic
      }))
      const character = characterOf({ slug: "ada", display_name: "Ada", world_context: { entries } })
      assert.deepStrictEqual(
        slowOver([logic], MAX_MS, () => loreChecks(character)),
        []
      )
    }
  })

  it.each([
    ["at their start", (n: number) => `b${filled(" a", 70)}${n}`],
    ["at their end", (n: number) => filled("a", 78) + name(n)],
    ["in the middle", (n: number) => `${filled("a ", 40)}b ${filled("a ", 30)}${name(n)}`]
  ])("names that must not be mentioned, different %s", (_, nameOf) => {
    const names = Array.from({ length: 2200 }, (_, n) => nameOf(n))
    assert.deepStrictEqual(
      slowOver([...TEXTS, filled("ba "), filled("A ")], MAX_MS, (text) => mentions([text, text], names)),
      []
    )
  })

  it("what the character could write about, and what the person has told since", () => {
    const at = Date.parse("2026-11-26T12:00:00Z")
    const loops = Array.from({ length: 300 }, (_, n): Facts["loops"][number] => ({
      id: `lop_${n}`,
      kind: "event_followup",
      owner: "user",
      text: `${filled("zeta omega ", 280)} ${name(n)}`,
      due_at: new Date(at - 1000).toISOString(),
      priority: 5,
      status: "open",
      evidence: [],
      created_at: new Date(at - 86_400_000).toISOString(),
      updated_at: new Date(at - 86_400_000).toISOString()
    }))
    const topics = Array.from({ length: 20 }, (_, n) => `${filled("b ", 56)}${n}`)
    const preferences = { ...NO_PREFERENCES, topics_avoid: topics, topics_welcome: topics }
    assert.deepStrictEqual(
      slowOver(TEXTS, MAX_MS, (text) =>
        candidatesOf({
          at,
          loops,
          preferences,
          scheduled: [],
          beat: null,
          said: Array.from({ length: 24 }, () => ({ text, at }))
        })
      ),
      []
    )
  })

  it("the names of people", () => {
    const npcs = Array.from({ length: 200 }, (_, n): Npc => ({
      id: `npc_${n}`,
      name: `b${filled("a ", 77)}${n}`,
      aliases: Array.from({ length: 10 }, (_, alias) => `b${alias}${filled(" a", 70)}${n}`),
      role: "friend",
      summary: "x",
      mention_policy: "free",
      linked_slug: null
    }))
    assert.deepStrictEqual(
      slowOver(TEXTS, MAX_MS, (text) => retrieveWorld(turnOf({ text }), history(text), { ...EMPTY_WORLD, npcs }, 1e12)),
      []
    )
  })

  it("the keywords of storylines", () => {
    const beats = Array.from({ length: 40 }, (_, n): Storyline["beats"][number] => ({
      key: `b${n}`,
      summary: "x",
      guidance: "",
      enter_when: {
        all: [{ keyword_any: Array.from({ length: 20 }, (_, word) => `b${word}${filled(" a", 90)}${n}`) }]
      },
      on_enter: { emotion_delta: null, arc_influence: null, proactive_reason: null },
      next: []
    }))
    const storylines = Array.from({ length: 50 }, (_, n): Storyline => ({
      id: `s${n}`,
      title: "x",
      premise: "",
      status: "active",
      beats
    }))
    const occasion = { at: 1, turnIndex: 1, trigger: null, scores: new Map(), loops: [], beganAt: 0 }
    assert.deepStrictEqual(
      slowOver(TEXTS, MAX_MS, (message) => entering({ storylines }, [], { ...occasion, message })),
      []
    )
  })

  it.each([
    ["words", " "],
    ["sentences", ". "]
  ])("what was forgotten, as %s", (_, gap) => {
    const forgotten = Array.from({ length: 100 }, (_, n) => ({
      cursor: 100 + n,
      text: wordy(n * 100, gap),
      hashes: ["0123456789abcdef"],
      at: new Date(n % 2 === 0 ? 1 : -1)
    }))
    assert.deepStrictEqual(
      slowOver([...TEXTS, `Please forget that ${wordy(3)}`], MAX_MS, (text) =>
        maskOf(forgotten, history(text), { text, atMs: 1 }).history(history(text))
      ),
      []
    )
  })
})

describe("what was forgotten", () => {
  it("is hidden as a whole if there is too much of it to search for", () => {
    const at = new Date(1)
    const forgotten = Array.from({ length: 100 }, (_, n) => ({
      cursor: n,
      text: `${wordy(n).slice(0, 4_000)} I hid ${name(n + 5_000)} here`,
      hashes: [],
      at
    }))
    const said = forgotten.map(({ cursor, text }) => ({ cursor, text, at: new Date(0) }))
    assert.deepStrictEqual(maskOf(forgotten, [], { text: "hi", atMs: 2 }).found(said), [])
  })
})

describe("an index", () => {
  const words = ["dog", "dogs", "cat", "lighthouse", "lighthouses", "light", "lights", "lighter", "house", "ab", "abcd"]
  it("of words finds the same forms as a comparison of each", () => {
    const forms = new WordForms()
    for (const word of words) forms.add(word)
    for (const word of [...words, "lig", "ligh", "abcdef", "abcdefg", "housing", ""])
      assert.deepStrictEqual(
        [...new Set(forms.of(word))].sort(),
        words.filter((other) => wordsMatch(word, other)).sort(),
        word
      )
    assert.deepStrictEqual([...forms.in(["lig", "housing", "dogs"])].sort(), ["dogs", "house"])
    assert.deepStrictEqual([forms.has("cats"), forms.has("cat")], [false, true])
  })

  it.each([0, 600])("of a text finds what is in it, with %d characters before it", (length) => {
    const text = `${"x".repeat(length)} The old bell, ab 漢字 z`
    const phrases = new Phrases(text)
    for (const phrase of ["old bell", "The", "z", "字", " z", "", text, "bell!", "zz", "q", "The Old", "bells"])
      assert.strictEqual(phrases.has(phrase), text.includes(phrase), phrase)
  })

  it.each([0, 600])("of a text finds whole words, with %d characters before them", (length) => {
    const words = "xbell bells, «bell», 漢字 é 7a 😀z a"
    const text = "x".repeat(length) + words
    const phrases = new Phrases(text)
    const parts = Array.from(words, (_, at) => [1, 2, 3, 4, 5, 6].map((size) => words.slice(at, at + size)))
    for (const phrase of [...parts.flat(), words, text, "cat", " ", "bell?"])
      for (const _ of ["first", "again"])
        assert.strictEqual(phrases.hasWholeWord(phrase), hasWholeWord(text, phrase), phrase)
  })
})
