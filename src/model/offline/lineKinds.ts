import type { Act } from "#pipeline/relational/rules/acts.ts"
import type { Topic } from "#pipeline/relational/rules/Fact.ts"

/**
 * The acts of a person that a character may have lines for. Memory answers questions about the past, and any line
 * answers a remark.
 */
export const ANSWERED_ACTS = [
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
  "elaborate",
  "laughter",
  "agreement",
  "disagreement",
  "acknowledgement",
  "bad_news",
  "good_news",
  "question_self",
  "question_world",
  "command",
  "disclosure"
] as const satisfies ReadonlyArray<Act>

/**
 * What the character does by itself: `refusal` stays in the role when asked to leave it, `recall` fills a slot,
 * `recall_sentence` repeats a sentence, `recall_note` repeats what the app has added, `unknown_memory` says that the
 * person has not told it, `lost_memory` asks to hear it again, `forgotten` confirms that it was forgotten, `follow_up`
 * returns to
 * something told earlier, `already_said` admits having said so, `answer` reacts to the answer to its own question,
 * `detail` encourages the person to continue, `comfort` consoles the person, `ask_name` asks for the name of something,
 * `ask_back` returns a question about itself, `topic` opens a new topic, `offer` names what it can be asked about,
 * `resume` takes up a thread that the person has left, and `resume_gently` does so after grief, a quarrel or a crisis.
 */
const MOVES = [
  "candid",
  "refusal",
  "recall",
  "recall_sentence",
  "recall_note",
  "unknown_memory",
  "lost_memory",
  "forgotten",
  "follow_up",
  "already_said",
  "answer",
  "detail",
  "comfort",
  "ask_name",
  "ask_back",
  "topic",
  "offer",
  "resume",
  "resume_gently"
] as const

/** How it reacts to what the person tells about these. */
const TOLD = [
  "about_pet",
  "about_person",
  "about_people",
  "about_work",
  "about_home",
  "about_like",
  "about_dislike",
  "about_event",
  "about_name",
  "about_plan"
] as const

export const LINE_KINDS = [...ANSWERED_ACTS, ...MOVES, ...TOLD] as const
/** A key of the authored `offline_lines`. */
export type LineKind = (typeof LINE_KINDS)[number]

const OF_TOPIC: Readonly<Record<Topic, LineKind>> = {
  pet: "about_pet",
  person: "about_person",
  work: "about_work",
  home: "about_home",
  like: "about_like",
  dislike: "about_dislike",
  event: "about_event",
  other: "disclosure"
}
export const kindOfTopic = (topic: Topic): LineKind => OF_TOPIC[topic]

const answered: ReadonlySet<string> = new Set(ANSWERED_ACTS)
/** The kind of line that answers an act of the person, if there is one. */
export const kindOfAct = (act: Act): LineKind | null =>
  act === "probe" ? "refusal" : (LINE_KINDS.find((kind) => kind === act && answered.has(kind)) ?? null)
