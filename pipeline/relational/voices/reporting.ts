import type { Clause, Sentence } from "./clauses.ts"
import type { Lexicon, Word } from "./lexicon.ts"
import { leads } from "./moods.ts"
import { SOMEBODY, type Subject } from "./subjectOf.ts"

/** Words between "says" and what is said: "told me yesterday that". */
const MAX_BETWEEN = 4

/** Whether the person says of themselves in a clause that they speak: "I said", "dije". */
export const speaksSelf = ({ words }: Clause, lexicon: Lexicon): boolean =>
  words.some((word) => lexicon.has("self", word) || (lexicon.has("report", word) && lexicon.has("verb1", word)))

/** "says", "dicen", "meint": what only somebody else does, even if nobody is named. */
export const speaksOther = (words: ReadonlyArray<Word>, lexicon: Lexicon): boolean =>
  words.some(
    (word) =>
      lexicon.has("report", word) &&
      !lexicon.has("verb1", word) &&
      (/^(?:es|pt)$/.test(lexicon.language) || (lexicon.language === "en" ? /s$/ : /t$/).test(word.low))
  ) && !words.some((word) => lexicon.has("self", word) || (lexicon.has("verb1", word) && word.low !== "me"))

/** "She's like", "Sie so". */
const MAX_LIKE_WORDS = 3
const isLike = ({ words }: Clause, lexicon: Lexicon): boolean =>
  words.length <= MAX_LIKE_WORDS && lexicon.has("third", words[0]!)

/** "A sign on the wall": something with a text, which is not the person's. */
const carries = ({ words }: Clause, lexicon: Lexicon): boolean =>
  words.some(
    (word, n) =>
      (lexicon.has("carrier", word) || lexicon.has("fiction", word)) &&
      !lexicon.has("mine", words[n - 1] ?? { low: "" })
  )

const MAX_LEAD_WORDS = 8
/** Whether somebody else speaks, or something is read, after the colon behind this clause: "Customer today:". */
export const leadsToSpeech = (clause: Clause, next: Clause | undefined, lexicon: Lexicon): boolean =>
  /:/.test(next?.joint ?? "") &&
  clause.words.length <= MAX_LEAD_WORDS &&
  !clause.words.some((word) => lexicon.has("self", word)) &&
  (carries(clause, lexicon) ||
    isLike(clause, lexicon) ||
    (lexicon.find("own", clause.words) < 0 && clause.words.some((word) => lexicon.relation(word) !== undefined)))

/** "I'm like:", "Ich so:". */
export const isOwnTurn = ({ clauses: [first, second] }: Sentence, lexicon: Lexicon): boolean =>
  first !== undefined &&
  first.words.length <= MAX_LIKE_WORDS &&
  first.words.some((word) => lexicon.has("self", word)) &&
  /:/.test(second?.joint ?? "")

/** "Then he laughed.", "Yo trabajo": the person goes on, after somebody's words. */
export const resumes = ({ clauses: [first] }: Sentence, lexicon: Lexicon): boolean => {
  const words = first?.words.slice(0, MAX_BETWEEN) ?? []
  return (
    words.some((word) => lexicon.has("third", word)) ||
    (/^(?:es|pt)$/.test(lexicon.language) && words[0] !== undefined && lexicon.has("self", words[0]))
  )
}

/** Whether a clause only introduces what somebody says: "my friend told me". */
export const introduces = ({ words }: Clause, lexicon: Lexicon): boolean => {
  if (lexicon.language === "en" && words.length > 1 && words.at(-1)?.low === "like") return true
  const at = words.findLastIndex((word) => lexicon.has("report", word))
  return at >= 0 && words.length - 1 - at <= MAX_BETWEEN
}

/** "says my mother", "sagt sie": after what is said. */
export const follows = ({ words, joint }: Clause, lexicon: Lexicon): boolean =>
  /[,–—]|-/.test(joint) &&
  !lexicon.has("joiner", words[0]!) &&
  words.length <= MAX_BETWEEN + 2 &&
  words.some((word) => lexicon.has("report", word))

export interface Reported {
  /** Who reports. */
  readonly by: Subject
}

/**
 * Which clauses of a sentence somebody else is reported to say. What the person says to others, and what a doctor tells
 * them, is their own. `isQuoted`: whether words in quotation marks stand between two places.
 */
export const reportedIn = (
  clauses: ReadonlyArray<Clause>,
  subjects: ReadonlyArray<Subject>,
  lexicon: Lexicon,
  isQuoted: (from: number, to: number) => boolean
): ReadonlyArray<Reported | null> => {
  const reported: Array<Reported | null> = clauses.map(() => null)
  let by: Subject | null = null
  let isProfessional = false
  for (const [n, clause] of clauses.entries()) {
    const subject = subjects[n]!
    const [first] = clause.words
    if (by !== null && subject.who === "person" && first !== undefined && lexicon.has("but", first)) by = null
    if (subject.who === "person" && clause.words.some((word) => lexicon.has("report", word))) by = null
    if (by !== null) reported[n] = { by }
    if (leadsToSpeech(clause, clauses[n + 1], lexicon)) {
      by = SOMEBODY
      continue
    }
    const hearsay = lexicon.find("hearsay", clause.words)
    if (hearsay >= 0 && !clause.words.some((word) => lexicon.has("professional", word))) {
      reported[n] = { by: SOMEBODY }
      if (clause.words.length - hearsay <= MAX_BETWEEN) by = SOMEBODY
      continue
    }
    if (
      leads("according", clause.words, lexicon) &&
      !clause.words.some((word) => lexicon.has("document", word) || lexicon.has("professional", word))
    ) {
      by = SOMEBODY
      reported[n] = { by }
      continue
    }
    isProfessional ||= clause.words.some((word) => lexicon.has("professional", word))
    const isDeemed = isProfessional && clause.words.some((word) => lexicon.has("deems", word))
    if (isDeemed && !clause.words.some((word) => lexicon.has("self", word))) {
      by = SOMEBODY
      continue
    }
    if (subject.who === "person" || isProfessional || leads("condition", clause.words, lexicon)) continue
    if (n === clauses.length - 1 && n > 0 && follows(clause, lexicon))
      for (let back = n - 1; back >= 0; back -= 1) reported[back] ??= { by: subject }
    else if (introduces(clause, lexicon) && !isQuoted(clause.end, clauses[n + 1]?.start ?? clause.end)) by = subject
  }
  return reported
}
