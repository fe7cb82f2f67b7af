import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { splitBubbles } from "#pipeline/emission/bubbles.ts"
import { anyCharacter } from "#test/support/hostile/anyCharacter.ts"

const split = (text: string | ReadonlyArray<string>, max_bubble_chars: number, max_bubbles = 100) =>
  splitBubbles(typeof text === "string" ? [text] : text, { max_bubbles, max_bubble_chars })
const withoutSpace = (texts: ReadonlyArray<string>) => texts.join("").replace(/\s+/g, "")

const URL = "https://example.org/a/b?c=d,e.f;g"
const FAMILY = "👨‍👩‍👧‍👦"

describe("splitBubbles", () => {
  it("keeps proposed bubbles that fit", () => {
    assert.deepStrictEqual(split(["Good evening.", "  Sit down, please. "], 100, 3), [
      "Good evening.",
      "Sit down, please."
    ])
  })

  it("prefers a blank line to a sentence, a sentence to a clause and a clause to a word", () => {
    assert.deepStrictEqual(split("One two. Three.\n\nFour five, six. Seven", 30), [
      "One two. Three.",
      "Four five, six. Seven"
    ])
    assert.deepStrictEqual(split("One, two three. Four five, six seven", 26), [
      "One, two three.",
      "Four five, six seven"
    ])
    assert.deepStrictEqual(split("One two three, four five six seven", 25), ["One two three,", "four five six seven"])
    assert.deepStrictEqual(split("One two three four five six seven", 25), ["One two three four five", "six seven"])
  })

  it("does not mistake an abbreviation for the end of a sentence", () => {
    assert.deepStrictEqual(split("I went to see Dr. Holm about the fog, and the fog came too", 40), [
      "I went to see Dr. Holm about the fog,",
      "and the fog came too"
    ])
  })

  it("merges bubbles shorter than eight characters with a neighbour", () => {
    assert.deepStrictEqual(split(["Hm.", "I would not say so.", "No."], 100), ["Hm.\nI would not say so.\nNo."])
    assert.deepStrictEqual(split(["Yes.", "x".repeat(20)], 20), ["Yes.", "x".repeat(20)])
  })

  it("merges neighbours until the limit is met", () => {
    assert.deepStrictEqual(split(["First line", "Second line", "Third line here", "Fourth line here"], 100, 3), [
      "First line\nSecond line",
      "Third line here",
      "Fourth line here"
    ])
  })

  it("exceeds the number of bubbles rather than losing text or making one too long", () => {
    assert.deepStrictEqual(split(["a".repeat(18), "b".repeat(18), "c".repeat(18)], 20, 2), [
      "a".repeat(18),
      "b".repeat(18),
      "c".repeat(18)
    ])
  })

  it.each([
    ["an address", `Look at this one here: ${URL} and tell me`, URL],
    [
      "a quotation",
      "My mother used to say: “never trust, ever, a calm sea” and she was right",
      "“never trust, ever, a calm sea”"
    ],
    ["inline code", "Please type now, in the box: `rm a, b; c d e f g` and then wait", "`rm a, b; c d e f g`"],
    ["a code fence", "Here, look:\n```\na = 1\n\nb = 2\n```\nThat is all, really.", "```\na = 1\n\nb = 2\n```"],
    ["a list item", "You need, today:\n- a rope, long. And dry\n- a lamp, lit. And warm", "- a lamp, lit. And warm"],
    ["a sequence of joined emoji", `${"x".repeat(30)}${FAMILY}${"y".repeat(30)}`, FAMILY]
  ])("keeps %s whole", (_, text, unit) => {
    assert.isTrue(
      split(text, 36).some((bubble) => bubble.includes(unit)),
      JSON.stringify(split(text, 36))
    )
  })

  it("cuts a unit only if it is too long by itself", () => {
    const long = `https://example.org/${"a".repeat(50)}`
    assert.deepStrictEqual(split(`See ${long}`, 40), ["See", long.slice(0, 40), long.slice(40)])
  })

  it("cuts Chinese and Japanese at their own full stops", () => {
    assert.deepStrictEqual(split("今日は雨が降っています。明日は晴れるでしょう。それでは", 24), [
      "今日は雨が降っています。明日は晴れるでしょう。",
      "それでは"
    ])
  })

  const fragment = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 30 }),
    fc.string({ unit: anyCharacter, maxLength: 12 }),
    fc.lorem({ maxCount: 12 }),
    fc.constantFrom(
      FAMILY,
      "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
      "e\u0301\u0323",
      "🇳🇴🇵🇹",
      "\n\n",
      "\n- item, one\n",
      "`code`",
      "```\nx\n```",
      `“quoted. text” `,
      '"',
      ". ",
      "。",
      " \u0301",
      "\r\n"
    )
  )
  const text = fc.array(fragment, { maxLength: 20 }).map((parts) => parts.join(""))
  const limits = fc.record({
    max_bubbles: fc.integer({ min: 1, max: 6 }),
    max_bubble_chars: fc.integer({ min: 20, max: 120 })
  })

  it("loses only whitespace and keeps the order", () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), limits, (proposed, limit) => {
        assert.strictEqual(withoutSpace(splitBubbles(proposed, limit)), withoutSpace(proposed))
      }),
      { numRuns: 300 }
    )
  })

  it("makes no bubble that is too long, empty or padded with spaces", () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), limits, (proposed, limit) => {
        for (const bubble of splitBubbles(proposed, limit)) {
          assert.isAtMost(bubble.length, limit.max_bubble_chars)
          assert.strictEqual(bubble.trim(), bubble)
          assert.notStrictEqual(bubble, "")
        }
      }),
      { numRuns: 300 }
    )
  })

  it("exceeds the number of bubbles only if no two neighbours fit into one", () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), limits, (proposed, limit) => {
        const bubbles = splitBubbles(proposed, limit)
        const widestGap = Math.max(
          1,
          ...proposed.flatMap((bubble) => bubble.match(/\s+/g) ?? []).map((space) => space.length)
        )
        for (const [i, bubble] of bubbles.slice(1).entries()) {
          assert.isTrue(
            bubbles.length <= limit.max_bubbles ||
              (bubbles[i] ?? "").length + widestGap + bubble.length > limit.max_bubble_chars
          )
        }
      }),
      { numRuns: 300 }
    )
  })

  const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })
  it("never splits a surrogate pair or a joined sequence that would fit", () => {
    fc.assert(
      fc.property(text, limits, (proposed, limit) => {
        const whole = proposed.toWellFormed()
        const fitting = Array.from(graphemes.segment(whole.trim()), ({ segment }) => segment).filter(
          (segment) => segment.length <= limit.max_bubble_chars && segment.trim() === segment
        )
        const counted = (texts: ReadonlyArray<string>) =>
          Array.from(graphemes.segment(texts.join("\n")), ({ segment }) => segment).filter(
            (segment) => segment.length > 1 && segment.trim() === segment
          ).length
        assert.isTrue(splitBubbles([whole], limit).every((bubble) => bubble.isWellFormed()))
        assert.isAtLeast(
          counted(splitBubbles([whole], { ...limit, max_bubbles: 100 })),
          fitting.filter((segment) => segment.length > 1).length
        )
      }),
      { numRuns: 300 }
    )
  })

  it("never splits an address that fits", () => {
    const words = fc.lorem({ maxCount: 20 })
    fc.assert(
      fc.property(
        fc.array(fc.tuple(words, fc.webUrl({ validSchemes: ["https"] })), { minLength: 1, maxLength: 4 }),
        limits,
        (pairs, limit) => {
          const bubbles = splitBubbles([pairs.map(([before, url]) => `${before} ${url}`).join(" ")], limit)
          for (const [, url] of pairs)
            assert.isTrue(url.length > limit.max_bubble_chars || bubbles.some((bubble) => bubble.includes(url)))
        }
      ),
      { numRuns: 300 }
    )
  })
})
