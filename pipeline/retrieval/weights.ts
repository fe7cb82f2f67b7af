import * as Context from "effect/Context"

/** The weights for searching a session. `npm run bench -- recall` measures the effect of each. */
export interface RetrievalWeights {
  /**
   * A word occurs in the utterance before or after, so that "Biscuit" is found by the question that it answers. A word
   * in the utterance itself counts 2.
   */
  readonly nextTo: number
  /** The same for the utterances two before and two after. In alternating turns they are by the same speaker. */
  readonly nextButOne: number
  /**
   * Recency. It must stay small so that a slightly newer utterance does not outrank a better match: recency at equal
   * weight ruins recall.
   */
  readonly recency: number
  /** A word of the two messages before the one to answer. */
  readonly earlier: number
  /** A name in those messages. */
  readonly name: number
  /** What the message is about, in any words: "pet" finds the cat. */
  readonly topic: number
}

export const WEIGHTS: RetrievalWeights = {
  nextTo: 0.5,
  nextButOne: 1,
  recency: 0.05,
  earlier: 0.3,
  name: 0.5,
  topic: 0.6
}

/** The weights for the utterance index. */
export const Weights = Context.Reference<RetrievalWeights>("pipeline/retrieval/Weights", {
  defaultValue: () => WEIGHTS
})
