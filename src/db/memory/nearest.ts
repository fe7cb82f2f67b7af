import type { Embedding } from "#src/model/Embedder.ts"

const MAX_BYTE = 127

/** A vector as signed bytes. Only its direction is kept: its largest component becomes 127. */
export const toBytes = (vector: Embedding): Int8Array => {
  const most = vector.reduce((most, component) => Math.max(most, Math.abs(component)), 0)
  return Int8Array.from(vector, (component) => (most === 0 ? 0 : Math.round((component / most) * MAX_BYTE)))
}

/**
 * How far above the average of its session a similarity must be to count, in standard deviations. Models differ in how
 * similar they find unrelated texts, so a fixed bound would fit only some of them.
 */
const DEVIATIONS = 2
/** Rounding errors do not stand out. */
const ROUNDING = 1e-6

interface Near {
  /** The index of the vector. */
  readonly place: number
  /** The cosine of the angle between the two: 1 if they have the same direction. */
  readonly similarity: number
}

/** The vectors that are clearly closer to this one than the rest, best first. `all`: the vectors, one after another. */
export const nearest = (asked: Int8Array, all: Int8Array, limit: number): ReadonlyArray<Near> => {
  const size = asked.length
  const count = size === 0 ? 0 : Math.floor(all.length / size)
  const similarities = new Float64Array(count)
  let own = 0
  for (let i = 0; i < size; i++) own += (asked[i] ?? 0) ** 2
  let [sum, squares] = [0, 0]
  for (let place = 0, at = 0; place < count; place++) {
    let [product, length] = [0, 0]
    for (let i = 0; i < size; i++, at++) {
      const component = all[at] ?? 0
      product += component * (asked[i] ?? 0)
      length += component * component
    }
    const similarity = product === 0 ? 0 : product / Math.sqrt(own * length)
    similarities[place] = similarity
    sum += similarity
    squares += similarity * similarity
  }
  const mean = sum / Math.max(1, count)
  const least = mean + DEVIATIONS * Math.sqrt(Math.max(0, squares / Math.max(1, count) - mean * mean))
  return Array.from(similarities, (similarity, place) => ({ place, similarity }))
    .filter(({ similarity }) => similarity > 0 && similarity > least + ROUNDING)
    .sort((a, b) => b.similarity - a.similarity)
    .slice(0, limit)
}
