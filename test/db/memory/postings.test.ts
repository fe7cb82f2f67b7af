import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { WEIGHTS } from "#pipeline/retrieval/weights.ts"
import { bestDocs, type Postings } from "#src/db/memory/postings.ts"

type Said = ReadonlyArray<ReadonlyArray<number>>

const WORDS = 4
/** What the database would return for these texts, each a list of words, when all words are searched. */
const postingsOf = (said: Said, first: number, weights: ReadonlyArray<number>): Postings => {
  const lengthAt = (place: number) => said[place]?.length ?? 0
  const rows = weights.flatMap((_, word) =>
    said.flatMap((text, place) => {
      const often = text.filter((other) => other === word).length
      if (often === 0) return []
      const row = Buffer.alloc(14)
      row.writeUInt16BE(word, 0)
      row.writeUInt32BE(first + place, 2)
      for (const [i, value] of [often, lengthAt(place - 1), lengthAt(place), lengthAt(place + 1)].entries())
        row.writeUInt16BE(value, 6 + 2 * i)
      return [row]
    })
  )
  const average = said.reduce((sum, text) => sum + text.length, 0) / said.length
  return {
    first,
    last: first + said.length - 1,
    visible: first + said.length - 1,
    average,
    weights,
    postings: Buffer.concat(rows)
  }
}

/** The formula as published, one document at a time. */
const scoreOf = (said: Said, place: number, weights: ReadonlyArray<number>): number => {
  const average = said.reduce((sum, text) => sum + text.length, 0) / said.length
  const often = (at: number, word: number) => said[at]?.filter((other) => other === word).length ?? 0
  const { nextTo, nextButOne } = WEIGHTS
  return weights.reduce((sum, weight, word) => {
    const containing = said.filter((text) => text.includes(word)).length
    const near = [-1, 0, 1].some((distance) => often(place + distance, word) > 0)
    const length = near ? Math.max(1, (1 + (said[place]?.length ?? 0) / average) / 2) : 1
    const frequency =
      2 * often(place, word) +
      nextTo * (often(place - 1, word) + often(place + 1, word)) +
      nextButOne * (often(place - 2, word) + often(place + 2, word))
    return (
      sum +
      (weight * Math.log(1 + (said.length - containing + 0.5) / (containing + 0.5)) * frequency * 2.2) /
        (frequency + 1.2 * (0.25 + 0.75 * length))
    )
  }, 0)
}

describe("the best search results", () => {
  const texts = fc.array(fc.array(fc.nat(WORDS + 3), { maxLength: 12 }), { minLength: 1, maxLength: 40 })
  const weighing = fc.array(fc.constantFrom(0.3, 0.7, 1), { minLength: WORDS, maxLength: WORDS })

  it("are those that BM25 with neighbours ranks first", () => {
    fc.assert(
      fc.property(texts, weighing, fc.integer({ min: 1, max: 90 }), (said, weights, first) => {
        fc.pre(said.some((text) => text.length > 0))
        const scores = said
          .map((_, place) => ({ doc: first + place, score: scoreOf(said, place, weights) }))
          .filter(({ score }) => score > 0)
          .sort((a, b) => b.score - a.score || b.doc - a.doc)
        const found = bestDocs(postingsOf(said, first, weights), 8)
        assert.lengthOf(found, Math.min(8, scores.length))
        for (const [i, { doc, score }] of found.entries()) {
          assert.closeTo(score, scores[i]!.score / scores[0]!.score, 1e-9)
          assert.closeTo(scores.find((other) => other.doc === doc)!.score, scores[i]!.score, 1e-9)
        }
      })
    )
  })

  it("are empty if nothing is indexed or nothing indexed may be found", () => {
    assert.deepStrictEqual(
      bestDocs({ first: 1, last: 0, visible: 0, average: 1, weights: [1], postings: Buffer.alloc(0) }, 8),
      []
    )
    assert.deepStrictEqual(bestDocs({ ...postingsOf([[0], [1]], 5, [1, 1]), visible: 4 }, 8), [])
  })
})
