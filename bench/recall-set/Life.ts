/** What a person and a character say in one turn. It has a name if a question asks for what the person says in it. */
export type Said = readonly [person: string, character: string, name?: string]

/** `neighbour`: the answer is in the message after the one that shares words with the question. */
export type QuestionKind = "single" | "multi-hop" | "temporal" | "pronoun" | "neighbour" | "negative"

/** What the person asks later, in other words. */
export interface Asked {
  readonly kind: QuestionKind
  readonly text: string
  /** The turns that contain the answer. Empty if it was never said. */
  readonly answer: ReadonlyArray<string>
  /** The two previous messages: the person's and the character's. */
  readonly after?: readonly [string, string]
}

/** What a person says over a year, with small talk to insert: the material for a long conversation. */
export interface Life {
  readonly locale: "en" | "de"
  readonly person: string
  readonly character: string
  /** In order. Turns that belong together are told in one go. */
  readonly episodes: ReadonlyArray<ReadonlyArray<Said>>
  readonly questions: ReadonlyArray<Asked>
  /**
   * Small talk with `{name}` placeholders. It is close to the topics of the episodes, so that a single word has too
   * many matches.
   */
  readonly chatter: ReadonlyArray<readonly [person: string, character: string]>
  readonly blanks: Readonly<Record<string, ReadonlyArray<string>>>
}
