import type { Act } from "#pipeline/relational/rules/acts.ts"

/** How well the lines for an act answer it. Acts that are not listed have no lines of their own. */
export const FIT: Readonly<Partial<Record<Act, number>>> = {
  farewell: 0.8,
  grief: 0.95,
  affection: 0.9,
  insult: 0.85,
  apology: 0.8,
  thanks: 0.8,
  compliment: 0.75,
  greeting: 0.8,
  joke: 0.85,
  story: 0.85,
  advice: 0.7,
  elaborate: 0.55,
  laughter: 0.62,
  agreement: 0.5,
  disagreement: 0.55,
  acknowledgement: 0.5,
  bad_news: 0.62,
  good_news: 0.66,
  question_self: 0.36,
  question_world: 0.4,
  command: 0.5,
  disclosure: 0.5
}
/** For messages that say little, the character may choose the topic. */
export const LEAVES_OPEN: Readonly<Partial<Record<Act, number>>> = {
  acknowledgement: 0.46,
  agreement: 0.42,
  laughter: 0.42,
  disagreement: 0.4,
  remark: 0.3,
  disclosure: 0.25,
  plan: 0.25,
  elaborate: 0.25,
  question_self: 0.15,
  question_world: 0.15,
  command: 0.2
}

/** Acts so plain that an example must do the same to answer them. */
export const PLAIN: ReadonlySet<Act> = new Set([
  "probe",
  "farewell",
  "grief",
  "affection",
  "insult",
  "apology",
  "thanks",
  "compliment",
  "greeting",
  "joke",
  "story",
  "advice",
  "laughter",
  "elaborate",
  "more",
  "agreement",
  "disagreement",
  "acknowledgement"
])
