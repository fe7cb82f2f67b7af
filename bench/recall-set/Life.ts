/**
 * What a person and a character say to each other in a turn; named where a question asks for what the person says in
 * it.
 */
export type Said = readonly [person: string, character: string, name?: string]

/** `neighbour`: the answer stands in the message after the one that shares words with the question. */
export type QuestionKind = "single" | "multi-hop" | "temporal" | "pronoun" | "neighbour" | "negative"

/** What the person asks later on, in other words than it was said. */
export interface Asked {
  readonly kind: QuestionKind
  readonly text: string
  /** The turns that hold the answer; none of what was never said. */
  readonly answer: ReadonlyArray<string>
  /** The two messages before it: the person's, and the character's. */
  readonly after?: readonly [string, string]
}

/**
 * What one person tells in the course of a year, and small talk to put between: everything that a long conversation is
 * made of.
 */
export interface Life {
  readonly locale: "en" | "de"
  readonly person: string
  readonly character: string
  /** In the order in which they are told. What belongs together is told in one go. */
  readonly episodes: ReadonlyArray<ReadonlyArray<Said>>
  readonly questions: ReadonlyArray<Asked>
  /**
   * Small talk with blanks `{name}` to fill in. It touches what the episodes are about, so that a word alone finds too
   * much.
   */
  readonly chatter: ReadonlyArray<readonly [person: string, character: string]>
  readonly blanks: Readonly<Record<string, ReadonlyArray<string>>>
}
