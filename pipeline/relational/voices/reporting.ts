import type { Clause } from "./clauses.ts"
import type { Lexicon } from "./lexicon.ts"
import { leads } from "./moods.ts"
import type { Subject } from "./subjectOf.ts"

/** Words between "says" and what is said: "told me yesterday that". */
const MAX_BETWEEN = 4

/** Whether a clause only introduces what somebody says: "my friend told me". */
export const introduces = ({ words }: Clause, lexicon: Lexicon): boolean => {
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
  for (const [n, clause] of clauses.entries()) {
    const subject = subjects[n]!
    const [first] = clause.words
    if (by !== null && subject.who === "person" && first !== undefined && lexicon.has("but", first)) by = null
    if (subject.who === "person" && clause.words.some((word) => lexicon.has("report", word))) by = null
    if (by !== null) reported[n] = { by }
    if (leads("according", clause.words, lexicon)) {
      by = { who: "other", about: null }
      reported[n] = { by }
      continue
    }
    const isProfessional = clause.words.some((word) => lexicon.has("professional", word))
    if (subject.who === "person" || isProfessional || leads("condition", clause.words, lexicon)) continue
    if (n === clauses.length - 1 && n > 0 && follows(clause, lexicon))
      for (let back = n - 1; back >= 0; back -= 1) reported[back] ??= { by: subject }
    else if (introduces(clause, lexicon) && !isQuoted(clause.end, clauses[n + 1]?.start ?? clause.end)) by = subject
  }
  return reported
}
