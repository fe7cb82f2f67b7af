/** Which attribute of the person a fact is about. `statement`: only the sentence itself is known. */
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

/** The type of a fact's subject, so that questions can refer to it. */
export type Topic = "pet" | "person" | "work" | "home" | "like" | "dislike" | "event" | "other"

/** Something the person said about themselves, with its position. Every memory answer needs one. */
export interface Fact {
  /** What "my ..." names, in lower case. Empty if it is the person. */
  readonly subject: string
  readonly attribute: Attribute
  readonly topic: Topic
  readonly value: string
  /** The sentence in the person's own words. */
  readonly quote: string
  /** The same in words that can be understood on their own: "my sister lives in Graz" for "she lives in Graz". */
  readonly text: string
  /** Cursor of the message that said it. */
  readonly cursor: number
  /** Set if it comes from a memory. */
  readonly memoryId?: string
}
