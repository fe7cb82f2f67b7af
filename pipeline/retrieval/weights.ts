import * as Context from "effect/Context"

/**
 * What counts how much when something is looked for in a session. `npm run bench -- recall` shows what each of them is
 * worth.
 */
export interface RetrievalWeights {
  /**
   * That a word stands in the utterance before or after, so that "Biscuit" is found by the question that it answers:
   * standing in the utterance itself counts 2.
   */
  readonly nextTo: number
  /** The same for the one before that and the one after that: where two take turns, they are by the same speaker. */
  readonly nextButOne: number
  /**
   * That something was said just now. What is only slightly fresher must not pass something else for that: recency in
   * equal weights ruins recall.
   */
  readonly recency: number
  /** A word of the two messages before the one that is to be answered. */
  readonly earlier: number
  /** A name out of them. */
  readonly name: number
}

export const WEIGHTS: RetrievalWeights = { nextTo: 0.5, nextButOne: 1, recency: 0.05, earlier: 0.3, name: 0.5 }

/** What the index of utterances is searched with. */
export const Weights = Context.Reference<RetrievalWeights>("pipeline/retrieval/Weights", {
  defaultValue: () => WEIGHTS
})
