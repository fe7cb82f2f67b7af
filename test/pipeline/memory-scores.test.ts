import { assert, describe, it } from "@effect/vitest"
import { type ScoredMemory, scoreMemories } from "#pipeline/retrieval/memoryScores.ts"

const DAY_MS = 86_400_000
const NOW = Date.parse("2026-06-01T00:00:00Z")
const memory = (words: string, given: Partial<ScoredMemory> = {}): ScoredMemory & { readonly words: string } => ({
  words,
  lexemes: words.split(" "),
  importance: 5,
  pinned: false,
  atMs: NOW - DAY_MS,
  ...given
})
const search = (memories: ReadonlyArray<ReturnType<typeof memory>>, words: string) =>
  scoreMemories(
    memories,
    words.split(" ").map((lexeme) => ({ lexeme, weight: 1 })),
    NOW
  )
const order = (...args: Parameters<typeof search>) => search(...args).map(({ memory: { words } }) => words)

describe("memories", () => {
  it("are ranked by words shared with the search, rare words before common ones", () => {
    assert.deepStrictEqual(
      order([memory("sister play cello"), memory("sister like soup"), memory("sister sing")], "sister cello")[0],
      "sister play cello"
    )
  })

  it("give the best one full relevance, and one without a shared word none", () => {
    const [best, other] = search([memory("sister play cello"), memory("dog bark")], "cello")
    assert.strictEqual(best?.score.lexical, 1)
    assert.strictEqual(other?.score.lexical, 0)
  })

  it("are not ranked by freshness, importance or a pin above a better match", () => {
    const match = memory("sister play cello orchestra", { importance: 1, atMs: NOW - 900 * DAY_MS })
    const loud = memory("sister like soup often", { importance: 10, pinned: true, atMs: NOW })
    assert.strictEqual(
      order([loud, match, memory("dog bark"), memory("cat sleep")], "cello orchestra sister")[0],
      match.words
    )
  })

  it("are ranked by these if they match equally well", () => {
    for (const better of [
      memory("cello", { importance: 9 }),
      memory("cello", { pinned: true }),
      memory("cello", { atMs: NOW })
    ]) {
      assert.strictEqual(search([memory("cello"), better], "cello")[0]?.memory, better)
    }
  })

  it("weigh a search word as the search does", () => {
    const scored = scoreMemories(
      [memory("nadia"), memory("violin")],
      [
        { lexeme: "violin", weight: 0.3 },
        { lexeme: "nadia", weight: 0.7 }
      ],
      NOW
    )
    assert.strictEqual(scored[0]?.memory.words, "nadia")
  })

  it("lose half of their freshness in thirty days", () => {
    assert.closeTo(search([memory("cello", { atMs: NOW - 30 * DAY_MS })], "cello")[0]?.score.recency ?? 0, 0.5, 1e-9)
  })

  it("may be absent", () => assert.deepStrictEqual(search([], "cello"), []))
})
