import { assert, describe, it } from "@effect/vitest"
import { merge } from "#pipeline/retrieval/merge.ts"
import type { Recalled } from "#pipeline/retrieval/Retrieved.ts"

const at = new Date(0)
const said = (text: string, cursor: number, score: number): Recalled => ({ role: "user", text, cursor, at, score })
const fact = (text: string, cursor: number, lexical: number) => ({ text, cursor, at, score: { total: lexical, lexical, recency: 0, importance: 0 } })

describe("what was said and what was noted of it", () => {
  it("come in one order, and a place that both searches find before one that a single search finds", () => {
    const found = merge([said("the harbour is cold", 1, 1), said("Nadia lives in Ghent", 5, 0.9)], [fact("Nadia lives in Ghent", 5, 1), fact("Oskar broke his foot", 9, 1)], 0, 8)
    assert.deepStrictEqual(found.map(({ cursor }) => cursor), [5, 1, 9])
  })

  it("are each there once, and no more of them than were asked for", () => {
    assert.deepStrictEqual(merge([said("one", 1, 1), said("two", 2, 0.5)], [fact("one", 1, 1)], 0, 1).map(({ cursor }) => cursor), [1])
    assert.lengthOf(merge([said("one", 1, 1)], [fact("one", 1, 1)], 0, 8), 1)
  })
})
