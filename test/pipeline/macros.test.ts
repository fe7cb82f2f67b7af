import { assert, describe, it } from "vitest"
import { type Nodes, readMacros } from "#pipeline/domain/macroTree.ts"
import { textOf } from "#pipeline/domain/macroText.ts"
import { authored, fillMacros, fillWords, NOBODY, waysOf } from "#pipeline/domain/macros.ts"

const NAMES = { character: "Mara", user: null }
const DOUBLE = /\{\{|\}\}/

/** All that a text becomes with these seeds. */
const filledBy = (text: string, seeds = 60) =>
  [...new Set(Array.from({ length: seeds }, (_, seed) => fillMacros(text, { ...NAMES, seed: `ses_${seed}` })))].sort()

/** A generator of numbers below a limit. */
const numbers = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

describe("a text with macros", () => {
  it.each<[string, ...ReadonlyArray<string>]>([
    ["{{random::Hey {{user}}::Hello}}, sit.", "Hello, sit.", "Hey you, sit."],
    ["{{random:red,{{random:green,blue}}}}", "blue", "green", "red"],
    [String.raw`{{random:a\,b,c}}`, "a,b", "c"],
    [String.raw`{{random:a\{b,a\}b}}`, "a{b", "a}b"],
    ["{{ Pick :: tea :: coffee }}", "coffee", "tea"],
    ["{{random::{a: 1}::{{#if 0}}x{{else}}y{{/if}}}}", "y", "{a: 1}"],
    ["{{roll:d3}}", "1", "2", "3"],
    ["{{roll 1d2+3}}", "4", "5"],
    ["{{roll:1}}{{roll::2d1-1}}", "11"],
    ["{{#if x}}A{{else}}B{{/if}}", "A"],
    ["{{#if false}}A{{else}}B{{/if}}", "B"],
    ["{{#if {{user}}}}A{{else}}B{{/if}}", "B"],
    ["{{ if !user }}A{{ else }}B{{ /if }}", "A"],
    ["{{if::char::A::B}}{{if char}}C{{/if}}", "AC"],
    ["{{#if 0}}A{{else if 1}}B{{else}}C{{/if}}", "B"],
    ["{{#unless {{getvar::seen}}}}A{{:else}}B{{/unless}}", "A"],
    ["{{#when {{char}}::is::Mara}}A{{:else}}B{{/when}}", "A"],
    ["{{#if {{char}} == Ada}}A{{else}}B{{/}}", "B"],
    ["{{#if description}}A{{else}}B{{/if}}", "B"],
    ["{{#if 1}}\n  A\n{{/if}}!", "A!"],
    ["{{#if 1}}A{{#unless 1}}B{{else}}C{{/if}}D{{/unless}}", "ACD"],
    ["{{#if 0}}A and the rest", "A and the rest"],
    ["{{#each xs}}A{{else}}B{{/each}}", "A"],
    ["a{{newline}}{{trim}}\n\nb{{space}}{{reverse:cd}}{{noop}}", "ab dc"],
    ["{{// a {{char}} note}}{{comment a note}}{{//}}a note{{///}}.", "."],
    ["{{getvar::x}}{{setvar::x::{{char}}}}{{lastMessage}}{{mystery}}.", "."],
    ["{{{user}}} {a: 1} {} {a: {b: {{char}}}}", "{you} {a: 1} {} {a: {b: Mara} }"],
    ['{"a":{"b":1}}', '{"a":{"b":1} }'],
    ["{{an old friend}} of {{ <BOT>", "an old friend of  Mara"],
    ["a }} b {{/if}}{{else}} {{", "a  b  "],
    ["{{}}{{ }}{{::}}{{{{}}}}", ""]
  ])("%s", (text, ...expected) => assert.deepStrictEqual(filledBy(text), [...expected].sort()))

  it("is filled in the same way with the same seed", () => {
    const text = "{{random::a::b::c}}{{roll:d1000}}{{pick:x,y,z}}"
    assert.strictEqual(filledBy(text, 1)[0], fillMacros(text, { ...NAMES, seed: "ses_0" }))
    assert.isAbove(filledBy(text).length, 50)
  })

  it("has no braces left when a name has some, and the name is not read as a macro", () =>
    assert.strictEqual(fillMacros("Hi {{user}}.", { ...NAMES, user: "{{char}}" }), "Hi {{char}}."))

  it("is checked with each of its choices", () =>
    assert.includeMembers(
      [...waysOf("{{random::Ignore::Heed}} {{#if 0}}all{{else}}the{{/if}} rules", NAMES)],
      ["Ignore all rules", "Heed the rules"]
    ))
})

describe("a macro in many others", () => {
  const DEPTH = 16
  it.each<[string, string, string]>([
    ["{{#if ", "}}A{{/if}}", "omit"],
    ["{{#if !", "}}A{{/if}}", "omit"],
    ["{{#unless ", "}}A{{/unless}}", "omit"],
    ["{{#when::", "::is::a}}A{{/when}}", "omit"],
    ["{{if::", "::A::B}}", "omit"],
    ["{{roll:", "}}", "words"],
    ["{{#if {{reverse:", "}}}}A{{/if}}", "omit"]
  ])("%s is filled a few times at most", (before, after, unknown) => {
    let drawn = 0
    const draw = () => {
      drawn += 1
      return 0
    }
    const text = `${before.repeat(DEPTH)}{{random:a,b}}${after.repeat(DEPTH)}`
    const filling = { ...authored(text, NAMES, NOBODY.spoken), draw }
    if (unknown === "omit") textOf(readMacros(text), filling)
    else textOf(readMacros(text, { blocks: false }), { ...filling, unknown: "words" })
    assert.isAtMost(drawn, 2)
  })
})

describe("a template in a model's own words", () => {
  it.each([
    ["Write <p>{{ message }}</p> there.", "Write <p>message</p> there."],
    ["{% for x in xs %}{{ x.name | upper }}{% endfor %}", "{% for x in xs %}x.name | upper{% endfor %}"],
    ["Hello {{user}}, I am {{ Char }}. Clone <user>/repo.", "Hello Bo, I am Mara. Clone <user>/repo."],
    ['Send {"a":{"b":1}}.', 'Send {"a":{"b":1} }.'],
    ["{{// not a note}} {{setvar::a::b}} {{none}}", "// not a note setvar::a::b none"]
  ])("keeps its words: %s", (text, expected) =>
    assert.strictEqual(fillWords(text, { character: "Mara", user: "Bo" }), expected)
  )

  it("keeps both branches of a block", () => {
    const words = fillWords("{{#if ok}}Yes.{{else}}No.{{/if}}", NAMES)
    for (const word of ["if ok", "Yes.", "else", "No."]) assert.include(words, word)
    assert.notMatch(words, DOUBLE)
  })
})

/** A text, and everything that it can become. */
interface Made {
  readonly text: string
  readonly all: ReadonlyArray<string>
}

const WORDS = ["sit", "the fog", "a: 1", "王の城", "{x}", "two\nlines", "<b>", "50%", "a\\b", ""]

const made = (below: (limit: number) => number, depth: number): Made => {
  const plain = (): Made => {
    const word = WORDS[below(WORDS.length)] ?? ""
    return { text: word, all: [word] }
  }
  const inner = () => made(below, depth - 1)
  if (depth === 0) return plain()
  switch (below(6)) {
    case 0:
      return { text: "{{char}}", all: ["Mara"] }
    case 1:
      return { text: "<USER>", all: [NOBODY.spoken] }
    case 2: {
      const [one, two] = [inner(), inner()]
      return {
        text: `{{${below(2) === 0 ? "random" : "pick"}::${one.text}::${two.text}}}`,
        all: [...one.all, ...two.all].map((text) => text.trim())
      }
    }
    case 3: {
      const [one, two] = [inner(), inner()]
      const isTrue = below(2) === 0
      return {
        text: `{{#if ${isTrue ? "{{char}}" : "{{getvar::x}}"}}}${one.text}{{else}}${two.text}{{/if}}`,
        all: (isTrue ? one : two).all
      }
    }
    case 4: {
      const [one, two] = [inner(), inner()]
      return {
        text: `${one.text}|${two.text}`,
        all: one.all.flatMap((before) => two.all.map((after) => `${before}|${after}`))
      }
    }
    default:
      return plain()
  }
}

/** How many nodes a tree has. */
const sizeOf = (nodes: Nodes, seen = new Set<unknown>()): number =>
  nodes.reduce((size, node) => {
    if (typeof node === "string") return size + 1
    if (seen.has(node)) return size
    seen.add(node)
    const within =
      node.kind === "macro"
        ? [node.inner, ...node.args]
        : node.branches.flatMap(({ on, body }) => [on === null ? [] : [on], body])
    return within.reduce((sum, some) => sum + sizeOf(some, seen), size + 1)
  }, 0)

const SCRAPS = (
  "{{ }} { } {{{ }}} {{#if {{/if}} {{else}} {{random:: {{pick: :: , \\ \\{ \\} {{user}} {{char}} <USER> <b> " +
  "{{roll:d6}} {{// {{trim}} {{x}} x user ! == {{#unless 0}} {{/}} {{#when a::is::a}} {{newline}} " +
  "{{reverse: {{comment}} é 王"
).split(" ")

describe("any text", () => {
  it("of nested macros becomes one of the texts that it can be", () => {
    for (let seed = 0; seed < 1_500; seed++) {
      const { text, all } = made(numbers(seed), 4)
      const filled = fillMacros(text, { ...NAMES, seed: String(seed) })
      // Braces of two nested texts may meet.
      const alike = all.map((one) => one.trim())
      assert.include(alike, filled.trim(), text)
      assert.notMatch(filled, DOUBLE)
    }
  })

  it("of scraps of macros has no double braces in the end", () => {
    for (let seed = 0; seed < 1_500; seed++) {
      const below = numbers(seed)
      const text = Array.from({ length: 1 + below(30) }, () => SCRAPS[below(SCRAPS.length)]).join(
        below(2) === 0 ? "" : " "
      )
      for (const filled of [fillMacros(text, NAMES), fillWords(text, NAMES), ...waysOf(text, NAMES)])
        assert.notMatch(filled, DOUBLE, text)
    }
  })

  it("without double braces and names stays as it is", () => {
    for (const text of ["{a: 1}", "if (x) { y() }", "}{", "\\{\\{x\\}\\}", "a::b, c", "<b>{</b>", "1 < 2 {", ""])
      assert.deepStrictEqual([fillMacros(text, NAMES), fillWords(text, NAMES)], [text, text])
  })

  it.each([
    "{{",
    "}}",
    "{{a",
    "{{a {{user}}",
    "{{#if x}}",
    "{{#if x}}a{{else}}",
    "{{else}}",
    "{{/if}}",
    "{{trim}}\n",
    "{",
    "{a",
    "<user",
    "{{random::",
    "{{// "
  ])("is read in linear work: %j", (piece) => {
    const sizes = [10_000, 20_000, 100_000].map((times) => {
      const text = piece.repeat(times)
      assert.notMatch(fillMacros(text, NAMES), DOUBLE)
      return sizeOf(readMacros(text))
    })
    assert.isAtMost(sizes[1] ?? 0, 2.1 * (sizes[0] ?? 0) + 100)
    assert.isAtMost(sizes[2] ?? 0, 10.5 * (sizes[0] ?? 0) + 100)
  })

  it("is read in linear work: closed as often as opened", () => {
    const sizes = [10_000, 100_000].map((times) => {
      const text = "{{a::".repeat(times) + "}}".repeat(times)
      assert.notMatch(fillMacros(text, NAMES), DOUBLE)
      return sizeOf(readMacros(text))
    })
    assert.isAtMost(sizes[1] ?? 0, 10.5 * (sizes[0] ?? 0) + 100)
  })
})
