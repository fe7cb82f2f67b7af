import * as Effect from "effect/Effect"
import { expanded } from "./expand.ts"
import type { Recall, RecallRequest } from "./Recall.ts"
import type { Recalled } from "./Retrieved.ts"

/** How much the scores of the expanded search count, in addition to those of the first one. */
const EXPANDED_WEIGHT = 0.4

/** Searches what was said, and once more with the names and telling words of the best results. */
export const searchSaid = Effect.fnUntraced(function* (
  recall: Recall["Service"],
  request: RecallRequest,
  weight = EXPANDED_WEIGHT
): Effect.fn.Return<{ readonly found: ReadonlyArray<Recalled>; readonly failed: boolean }> {
  const first = yield* recall.search(request)
  const terms = expanded(request.terms, first.found)
  if (first.found.length === 0 || weight === 0 || terms.length === request.terms.length) return first
  const second = yield* recall.search({ ...request, terms })
  const again = new Map(second.found.map((one) => [one.cursor, one]))
  const both = new Map([...again, ...first.found.map((one) => [one.cursor, one] as const)])
  const known = new Map(first.found.map(({ cursor, score }) => [cursor, score]))
  const sums = Array.from(both.values(), (one): Recalled => ({
    ...one,
    score: (known.get(one.cursor) ?? 0) + weight * (again.get(one.cursor)?.score ?? 0)
  })).sort((a, b) => b.score - a.score)
  const most = sums[0]?.score ?? 1
  return {
    found: Array.from(sums.slice(0, request.limit), (one) => ({ ...one, score: one.score / most })),
    failed: first.failed || second.failed
  }
})
