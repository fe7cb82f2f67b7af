import { INTO, type Sentence } from "./clauses.ts"
import type { Lexicon, Word } from "./lexicon.ts"
import { leadingPlace } from "./moods.ts"
import type { Span } from "./quotations.ts"
import type { Subject } from "./subjectOf.ts"

/** Which sentences tell what is made up: stories, songs, dreams, games, role-play. */

const MAX_BETWEEN = 3
const OWN_WITHIN = 4

const fictionAfter = (words: ReadonlyArray<Word>, at: number, lexicon: Lexicon): number => {
  for (let n = at + 1; n <= at + MAX_BETWEEN && n < words.length; n += 1)
    if (lexicon.has("fiction", words[n]!)) return n
  return -1
}

/** "In my novel", and not "In my book club". */
const entersAt = (words: ReadonlyArray<Word>, lexicon: Lexicon): boolean => {
  const at = Math.min(leadingPlace(words, lexicon), words.length - 1)
  if (!INTO.test(words[at]?.low ?? "")) return false
  const noun = fictionAfter(words, at, lexicon)
  const next = words[noun + 1]
  return (
    noun > 0 &&
    (next === undefined ||
      lexicon.language !== "en" ||
      ["self", "third", "verb3", "mine", "determiner", "wh", "aux"].some((list) => lexicon.has(list, next)))
  )
}

/** "... in my dream" at the end. */
const endsInside = (words: ReadonlyArray<Word>, lexicon: Lexicon): boolean => {
  const last = words.at(-1)
  if (last === undefined || !lexicon.has("fiction", last)) return false
  const at = words.findLastIndex(({ low }) => INTO.test(low))
  const [determiner] = words.slice(at + 1)
  return (
    at >= 3 &&
    words.length - at <= MAX_BETWEEN + 1 &&
    determiner !== undefined &&
    (/^i[mn]$|^n[oa]$/.test(words[at]!.low) || lexicon.has("mine", determiner) || lexicon.has("determiner", determiner))
  )
}

const tellsTale = ({ clauses }: Sentence, lexicon: Lexicon): boolean =>
  clauses.some(({ words }, n) => {
    const presented = lexicon.phrase("present", words, 0)
    if (presented > 0 && fictionAfter(words, presented - 1, lexicon) > 0) return true
    const most = Math.min(OWN_WITHIN, words.length - 1)
    for (let at = 0; at <= most; at += 1) {
      const length = lexicon.phrase("tale", words, at)
      if (length > 1) return true
      if (length === 1 && n === 0 && at === 0 && (/:/.test(clauses[1]?.joint ?? "") || !isNoun(words))) return true
    }
    return false
  })

const isNoun = (words: ReadonlyArray<Word>): boolean => !/^(?:soñé|sonhei)$/.test(words[0]?.low ?? "")

/** Whether the person speaks of themselves again: "Anyway", "as for me". */
export const isOwnAgain = ({ clauses }: Sentence, lexicon: Lexicon): boolean => {
  const words = clauses.flatMap((clause) => clause.words)
  return words.some((_, at) => (at < OWN_WITHIN || at > words.length - 3) && lexicon.phrase("own", words, at) > 0)
}

export interface Frame {
  /** Whether it has a hero of its own, so that "I" is the person again. */
  readonly hasHero: boolean
}

/** The frame of fiction that a sentence opens. */
export const frameIn = (sentence: Sentence, subjects: ReadonlyArray<Subject>, lexicon: Lexicon): Frame | null => {
  const hasHero = subjects.some(({ who }) => who === "figure" || who === "other")
  const hasPerson = subjects.some(
    ({ who }, n) => who === "person" && (sentence.clauses[n]?.words.some((word) => lexicon.has("self", word)) ?? false)
  )
  const isTale = tellsTale(sentence, lexicon)
  return isTale ||
    subjects.some(({ who }) => who === "figure") ||
    sentence.clauses.some(({ words }) => entersAt(words, lexicon) || endsInside(words, lexicon))
    ? { hasHero: hasHero && (!hasPerson || !isTale) }
    : null
}

/** "*I draw my sword*": what is played. */
export const playedIn = (text: string): ReadonlyArray<Span> =>
  Array.from(text.matchAll(/(?<!\*)\*([^*\n]{3,})\*(?!\*)/g), ({ 0: all, index }) => ({
    start: index,
    end: index + all.length
  })).filter(({ start, end }) => text.slice(start, end).trim().split(/\s+/).length >= 3)
