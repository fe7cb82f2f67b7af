/** What of the person a fact is about; `statement` where only the sentence itself is known. */
export type Attribute =
  | "name"
  | "age"
  | "home"
  | "origin"
  | "work"
  | "study"
  | "birthday"
  | "favourite"
  | "like"
  | "dislike"
  | "doing"
  | "statement"

/** What sort of thing the subject of a fact is, so that one can ask after it. */
export type Topic = "pet" | "person" | "work" | "home" | "like" | "dislike" | "event" | "other"

/**
 * Something the person said of themselves, with where they said it. A memory answer without one of these is not given.
 */
export interface Fact {
  /** What "my ..." names, in lower case; empty where it is the person themselves. */
  readonly subject: string
  readonly attribute: Attribute
  readonly topic: Topic
  readonly value: string
  /** The sentence in the person's own words. */
  readonly quote: string
  /** Cursor of the message that said it. */
  readonly cursor: number
}
