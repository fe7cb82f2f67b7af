import { assert, describe, it } from "@effect/vitest"
import { compilePattern, costOf, loreCost, MAX_LORE_COST } from "#pipeline/patterns.ts"
import { effortOf } from "#test/support/effort/effortOf.ts"
import { characterOf, loreAfter, turnOf } from "#test/support/conversation/turns.ts"

interface Case {
  readonly what: string
  /** The active entries are identified by their contents: a, b, c... unless they have other contents. */
  readonly entries: ReadonlyArray<object>
  readonly text: string
  /** What the person has said before, the oldest first. */
  readonly before?: ReadonlyArray<string>
  readonly turnIndex?: number
  readonly trust?: number
  readonly on: string
}

const on = (
  { entries, text, before = [], turnIndex = 50, trust }: Omit<Case, "what" | "on">,
  sessionId = "ses_1"
): string => {
  const character = characterOf({
    slug: "ada",
    display_name: "Ada",
    world_context: {
      entries: entries.map((entry, place) => Object.assign({ content: "abcdefgh"[place], id: `lor_${place}` }, entry))
    }
  })
  return loreAfter(before, turnOf({ character, text, turnIndex, sessionId }), trust ?? null)
    .map(({ content }) => content.slice(0, 1))
    .join("")
}

const bell = { keys: ["bell"] }
const logic = (logic: string) => ({ keys: ["bell"], secondary_keys: ["night", "storm"], logic })
const big = (first: string, length: number) => ({ keys: ["bell"], content: first.repeat(length) })

const CASES: ReadonlyArray<Case> = [
  { what: "any of its keys", entries: [{ keys: ["gong", "bell"] }], text: "The bell!", on: "a" },
  { what: "none of its keys", entries: [bell], text: "The gong!", on: "" },
  { what: "a key of several words", entries: [{ keys: ["old bell"] }], text: "that old, old bell", on: "a" },
  { what: "a key within a longer word, with whole words", entries: [bell], text: "bellows", on: "" },
  {
    what: "a key within a longer word, without whole words",
    entries: [{ ...bell, whole_words: false }],
    text: "bellows",
    on: "a"
  },
  { what: "a key with different case and accents", entries: [{ keys: ["São"] }], text: "SAO", on: "a" },
  {
    what: "a key with different case, if case matters",
    entries: [{ ...bell, case_sensitive: true }],
    text: "Bell",
    on: ""
  },
  {
    what: "a key with the same case, if case matters",
    entries: [{ keys: ["Bell"], case_sensitive: true }],
    text: "Is Bell here?",
    on: "a"
  },
  {
    what: "a key with the same case within a longer word",
    entries: [{ keys: ["Bell"], case_sensitive: true }],
    text: "Bellows, bell",
    on: ""
  },
  {
    what: "a part of a word with the same case",
    entries: [{ keys: ["Bell"], case_sensitive: true, whole_words: false }],
    text: "Bellows",
    on: "a"
  },
  { what: "a key without a word", entries: [{ keys: ["!!!"] }], text: "what!!!", on: "a" },
  { what: "a key in a script without spaces", entries: [{ keys: ["灯台"] }], text: "灯台はどこ？", on: "a" },
  { what: "a pattern", entries: [{ keys: ["/bel+s?\\b/"] }], text: "two bells", on: "a" },
  { what: "a pattern in another case", entries: [{ keys: ["/bell/"] }], text: "Bell", on: "" },
  { what: "a pattern for any case", entries: [{ keys: ["/bell/i"] }], text: "Bell", on: "a" },
  {
    what: "a pattern that is not linear, and therefore plain text",
    entries: [{ keys: ["/(?=b)ell/"] }],
    text: "bell",
    on: ""
  },
  ...(
    [
      ["and_any", "bell at night", "a"],
      ["and_any", "bell", ""],
      ["and_all", "bell, night, storm", "a"],
      ["and_all", "bell, night", ""],
      ["not_any", "bell", "a"],
      ["not_any", "bell, night", ""],
      ["not_all", "bell, night", "a"],
      ["not_all", "bell, night, storm", ""]
    ] as const
  ).map(([name, text, on]) => ({ what: `${name} of "${text}"`, entries: [logic(name)], text, on })),
  { what: "nothing, if it is constant", entries: [{ constant: true }], text: "hi", on: "a" },
  { what: "its key, if it is disabled", entries: [{ ...bell, enabled: false }], text: "bell", on: "" },
  {
    what: "its key, if trust is too low or not measured",
    entries: [{ ...bell, min_trust: 0.5 }],
    text: "bell",
    trust: 0.4,
    on: ""
  },
  {
    what: "its key, if there is enough trust",
    entries: [{ ...bell, min_trust: 0.5 }],
    text: "bell",
    trust: 0.5,
    on: "a"
  },
  {
    what: "the same message, if the probability is 0",
    entries: [
      { ...bell, probability: 0 },
      { constant: true, probability: 0 }
    ],
    text: "bell",
    on: ""
  },
  {
    what: "a turn before its delay is over",
    entries: [
      { ...bell, delay_turns: 50 },
      { constant: true, delay_turns: 50 }
    ],
    text: "bell",
    turnIndex: 50,
    on: ""
  },
  {
    what: "the first turn after its delay",
    entries: [
      { ...bell, delay_turns: 50 },
      { constant: true, delay_turns: 50 }
    ],
    text: "bell",
    turnIndex: 51,
    on: "ba"
  },
  {
    what: "the last of its sticky turns",
    entries: [{ ...bell, sticky_turns: 2 }],
    before: ["bell", "hm"],
    text: "so",
    on: "a"
  },
  {
    what: "the turn after its sticky turns",
    entries: [{ ...bell, sticky_turns: 2 }],
    before: ["bell", "hm", "hm"],
    text: "so",
    on: ""
  },
  {
    what: "its key while it is sticky, which does not extend that",
    entries: [{ ...bell, sticky_turns: 2 }],
    before: ["bell", "bell", "bell"],
    text: "so",
    on: ""
  },
  {
    what: "its key during its cooldown",
    entries: [{ ...bell, cooldown_turns: 2 }],
    before: ["bell", "hm"],
    text: "bell",
    on: ""
  },
  {
    what: "its key after its cooldown",
    entries: [{ ...bell, cooldown_turns: 2 }],
    before: ["bell", "hm", "hm"],
    text: "bell",
    on: "a"
  },
  {
    what: "its key during the cooldown that follows its sticky turns",
    entries: [{ ...bell, sticky_turns: 1, cooldown_turns: 1 }],
    before: ["bell", "hm"],
    text: "bell",
    on: ""
  },
  {
    what: "its key once both are over",
    entries: [{ ...bell, sticky_turns: 1, cooldown_turns: 1 }],
    before: ["bell", "hm", "hm"],
    text: "bell",
    on: "a"
  },
  {
    what: "the cooldown of a constant entry",
    entries: [{ constant: true, cooldown_turns: 1 }],
    before: ["a", "b"],
    text: "c",
    on: "a"
  },
  {
    what: "a turn during the cooldown of a constant entry",
    entries: [{ constant: true, cooldown_turns: 1 }],
    before: ["a"],
    text: "c",
    on: ""
  },
  ...[
    ["last of its sticky turns", 49, "a"],
    ["turn after them", 50, ""]
  ].map(([what, turns, on]) => ({
    what: `the ${what}, where these are as many as there may be`,
    entries: [{ ...bell, sticky_turns: 50 }],
    before: ["bell", ...Array<string>(Number(turns)).fill("hm")],
    text: "so",
    on: String(on),
    turnIndex: 300
  })),
  ...[
    ["last turn of its cooldown", 249, ""],
    ["turn after it", 250, "a"]
  ].map(([what, turns, on]) => ({
    what: `its key in the ${what}, where both are as long as they may be`,
    entries: [{ ...bell, sticky_turns: 50, cooldown_turns: 200 }],
    before: ["bell", ...Array<string>(Number(turns)).fill("hm")],
    text: "bell",
    on: String(on),
    turnIndex: 300
  })),
  ...[
    [39, ""],
    [40, "a"],
    [41, ""]
  ].map(([turns, on]) => ({
    what: `what is constant and rests for 19 turns of 20, after ${turns}`,
    entries: [{ constant: true, cooldown_turns: 19 }],
    before: Array<string>(Number(turns)).fill("hm"),
    text: "so",
    on: String(on),
    turnIndex: 300
  })),
  {
    what: "an entry whose key came while trust was too low",
    entries: [{ ...bell, min_trust: 0.5, sticky_turns: 5 }],
    before: ["bell"],
    text: "so",
    trust: 0.4,
    on: ""
  },
  {
    what: "a group, in which the heavier entry wins",
    entries: [
      { ...bell, group: "g", group_weight: 1 },
      { ...bell, group: "g", group_weight: 10_000 }
    ],
    text: "bell",
    on: "b"
  },
  {
    what: "a group with a sticky entry",
    entries: [
      { ...bell, group: "g", sticky_turns: 5, group_weight: 1 },
      { keys: ["gong"], group: "g", group_weight: 10_000 }
    ],
    before: ["bell"],
    text: "gong",
    on: "a"
  },
  {
    what: "two groups, one of which it loses",
    entries: [
      { ...bell, group: "g, h", group_weight: 1 },
      { ...bell, group: "h", group_weight: 10_000 }
    ],
    text: "bell",
    on: "b"
  },
  {
    what: "several entries, by priority and then by order",
    entries: [{ ...bell, priority: 1 }, bell, { ...bell, priority: 90 }, { constant: true, priority: 0 }, bell],
    text: "bell",
    on: "dcbea"
  },
  {
    what: "more entries than fit",
    entries: [big("a", 3000), big("b", 300), big("c", 200)],
    text: "bell",
    on: "ac"
  },
  {
    what: "the content of another entry, which activates nothing",
    entries: [{ ...bell, content: "a gong" }, { keys: ["gong"] }],
    text: "bell",
    on: "a"
  }
]

describe("lore activation by", () => {
  it.each(CASES)("$what", ({ on: expected, ...given }) => assert.strictEqual(on(given), expected))

  it("chance happens as often as the probability says, and is the same whenever the turn runs", () => {
    const drawn = () =>
      Array.from({ length: 400 }, (_, n) => on({ entries: [{ ...bell, probability: 0.25 }], text: "bell" }, `ses_${n}`))
    const draws = drawn()
    assert.deepStrictEqual(drawn(), draws)
    assert.approximately(draws.filter((one) => one === "a").length, 100, 30)
  })

  it("chance stays with the sticky entry, and is not drawn again", () => {
    for (let n = 0; n < 50; n++) {
      const entries = [{ ...bell, probability: 0.5, sticky_turns: 2 }]
      assert.strictEqual(
        on({ entries, before: ["bell"], text: "so" }, `ses_${n}`),
        on({ entries, text: "bell" }, `ses_${n}`)
      )
    }
  })

  it("group happens as often as the weight says", () => {
    const draws = Array.from({ length: 400 }, (_, n) =>
      on(
        {
          entries: [
            { ...bell, group: "g", group_weight: 300 },
            { ...bell, group: "g" }
          ],
          text: "bell"
        },
        `ses_${n}`
      )
    )
    assert.approximately(draws.filter((one) => one === "a").length, 300, 30)
    assert.isTrue(draws.every((one) => one.length === 1))
  })
})

describe("patterns that are slow on purpose", () => {
  const heavy = (n: number) => `/(?i)(?:\\pL?\\pN?){60}x${n}/`

  it("are matched only within the effort of a turn, the same each time", async () => {
    const entries = Array.from({ length: 70 }, (_, n) => ({ keys: [heavy(n)], sticky_turns: 1, content: "y" }))
    const given = {
      entries: [bell, ...entries, { keys: ["/x/"], content: "z" }],
      text: `bell ${"aé7 ".repeat(7000)}x69`
    }
    const { result: first, effortMs } = await effortOf(() => on(given))
    assert.isBelow(effortMs, 5000)
    assert.strictEqual(first, "a")
  })

  it("may contain few Unicode classes, individually and in total: each is as slow to compile as a long word", () => {
    const classes = (count: number) => `[${"\\pL".repeat(count)}]`
    assert.isNotNull(compilePattern(classes(3)))
    assert.isNull(compilePattern(classes(31)))
    const keys = Array.from({ length: 20 }, () => `/${classes(12)}/`)
    assert.isAbove(loreCost(Array.from({ length: 190 }, () => ({ keys, secondary_keys: keys }))), MAX_LORE_COST)
  })

  it.each<[string, number]>([
    ["hello", 5],
    ["\\b(?:a|b)\\b", 7],
    ["\\d{4}-\\d{2}", 7],
    [".{0,40}", 40],
    ["a{3,}", 3],
    ["(?:ab){10}", 40],
    ["((a{10}){10}){10}", 1000],
    ["[(]{5}", 5],
    ["[[:alpha:](]{5}", 5],
    ["\\Q(\\E{5}", 25],
    ["\\p{Greek}{3}", 3],
    ["\\x{41}{3}", 3],
    ["a)", Infinity],
    ["(a", 1]
  ])("are measured by their compiled size: %s is %d", (pattern, cost) => assert.strictEqual(costOf(pattern), cost))
})
