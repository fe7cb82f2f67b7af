/** A message: the places of its features, and for each label whether it has it; NaN where that is not known. */
export interface Example {
  readonly features: Uint32Array
  readonly has: Float64Array
}

export interface Regression {
  /** Weights by feature, then by label. */
  readonly weights: Float32Array
  readonly bias: Float64Array
}

const EPOCHS = 20
const RATE = 0.4
/** Draws weights to zero: what few messages bear out counts little. */
const DECAY = 3e-4

/** The same sequence at each run, so that the same messages give the same weights. */
const dice = (seed: number) => () => (seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff) / 0x80000000

export const scoresOf = ({ weights, bias }: Regression, features: Uint32Array): Float64Array<ArrayBuffer> => {
  const count = bias.length
  const sums = new Float64Array(count)
  for (const feature of features)
    for (let label = 0; label < count; label++) sums[label]! += weights[feature * count + label]!
  const size = Math.sqrt(Math.max(1, features.length))
  return sums.map((sum, label) => bias[label]! + sum / size)
}

/** Logistic regression for each of `count` labels, by AdaGrad. `size`: how many features there are. */
export const regress = (examples: ReadonlyArray<Example>, size: number, count: number): Regression => {
  const weights = new Float32Array(size * count)
  const squares = new Float32Array(size * count).fill(1e-6)
  const bias = new Float64Array(count)
  const biasSquares = new Float64Array(count).fill(1e-6)
  const order = examples.map((_, at) => at)
  const roll = dice(7)
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    for (let last = order.length - 1; last > 0; last--) {
      const other = Math.floor(roll() * (last + 1))
      ;[order[last], order[other]] = [order[other]!, order[last]!]
    }
    for (const at of order) {
      const { features, has } = examples[at]!
      const share = 1 / Math.sqrt(Math.max(1, features.length))
      const wrong = scoresOf({ weights, bias }, features).map((score, label) => {
        const is = has[label]!
        return Number.isNaN(is) ? 0 : 1 / (1 + Math.exp(-score)) - is
      })
      for (let label = 0; label < count; label++) {
        biasSquares[label]! += wrong[label]! ** 2
        bias[label]! -= (RATE * wrong[label]!) / Math.sqrt(biasSquares[label]!)
      }
      for (const feature of features) {
        for (let label = 0; label < count; label++) {
          if (wrong[label] === 0) continue
          const place = feature * count + label
          const slope = wrong[label]! * share + DECAY * weights[place]!
          squares[place]! += slope * slope
          weights[place]! -= (RATE * slope) / Math.sqrt(squares[place]!)
        }
      }
    }
  }
  return { weights, bias }
}
