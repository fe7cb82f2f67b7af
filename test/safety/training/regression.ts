import { type Label, LABELS } from "#pipeline/safety/classifier/Classifier.ts"

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
const COUNT = LABELS.length

/** The same sequence at each run, so that the same messages give the same weights. */
const dice = (seed: number) => () => (seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff) / 0x80000000

const ALL = LABELS.map((_, label) => label)

/** The scores for all labels, or for those at some places among them. */
export const scoresOf = (
  { weights, bias }: Regression,
  features: Uint32Array,
  columns: ReadonlyArray<number> = ALL
): Float64Array<ArrayBuffer> => {
  const sums = new Float64Array(COUNT)
  for (const feature of features)
    for (const label of columns) sums[label]! += weights[feature * COUNT + label]!
  const size = Math.sqrt(Math.max(1, features.length))
  return sums.map((sum, label) => bias[label]! + sum / size)
}

/** Logistic regression for each of the labels, by AdaGrad. `size`: how many features there are. */
export const regress = (
  examples: ReadonlyArray<Example>,
  size: number,
  labels: ReadonlyArray<Label>
): Regression => {
  const columns = labels.map((label) => LABELS.indexOf(label))
  const weights = new Float32Array(size * COUNT)
  const squares = new Float32Array(size * COUNT).fill(1e-6)
  const bias = new Float64Array(COUNT)
  const biasSquares = new Float64Array(COUNT).fill(1e-6)
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
      const wrong = scoresOf({ weights, bias }, features, columns).map((score, label) => {
        const is = has[label]!
        return Number.isNaN(is) ? 0 : 1 / (1 + Math.exp(-score)) - is
      })
      for (const label of columns) {
        biasSquares[label]! += wrong[label]! ** 2
        bias[label]! -= (RATE * wrong[label]!) / Math.sqrt(biasSquares[label]!)
      }
      for (const feature of features) {
        for (const label of columns) {
          if (wrong[label] === 0) continue
          const place = feature * COUNT + label
          const slope = wrong[label]! * share + DECAY * weights[place]!
          squares[place]! += slope * slope
          weights[place]! -= (RATE * slope) / Math.sqrt(squares[place]!)
        }
      }
    }
  }
  return { weights, bias }
}
