import { isCapital, type Lexicon, type Word } from "./lexicon.ts"
import type { Clause, Sentence } from "./clauses.ts"
import type { Subject } from "./subjectOf.ts"

/** How a clause is meant. Numbers are places of words. */
export interface Moods {
  /** It supposes something, or asks for it. */
  readonly supposes: "question" | "condition" | null
  /** From where on it says what somebody wants or would do. -1: nowhere. */
  readonly wished: number
  /** From where on it denies. -1: nowhere. */
  readonly denied: number
}

export const PLAIN: Moods = { supposes: null, wished: -1, denied: -1 }

const CONDITIONAL_VERB = /^\p{L}{2,}(?:ría|ríamos|ria|ríamos)$/u
const PARTICIPLE = /(?:ed|en)$|^(?:been|had|gone|got|lost|met|made|left|done|lived)$/
const MAX_LEADING = 4

/** Where the clause begins after openers. */
export const leadingPlace = (words: ReadonlyArray<Word>, lexicon: Lexicon): number => {
  const at = words.findIndex((word) => !lexicon.has("opener", word))
  return at < 0 ? words.length : at
}

/** Whether a phrase of a list stands at the beginning, after openers at most. */
export const leads = (list: string, words: ReadonlyArray<Word>, lexicon: Lexicon): boolean => {
  const most = Math.min(MAX_LEADING, leadingPlace(words, lexicon))
  return Array.from({ length: most + 1 }, (_, at) => at).some((at) => lexicon.phrase(list, words, at) > 0)
}

const wouldIn = (words: ReadonlyArray<Word>, lexicon: Lexicon): number => {
  if (lexicon.find("real", words) >= 0) return -1
  const at = lexicon.find("would", words)
  if (at >= 0 && !(words[at]!.low.endsWith("'d") && PARTICIPLE.test(words[at + 1]?.low ?? ""))) return at
  const first = leadingPlace(words, lexicon)
  return /^(?:es|pt)$/.test(lexicon.language) && CONDITIONAL_VERB.test(words[first]?.low ?? "") ? first : -1
}

const deniedIn = (words: ReadonlyArray<Word>, lexicon: Lexicon): number => {
  let from = -1
  for (let at = 0; at < words.length; at += 1) {
    const excepted = lexicon.phrase("nonnegator", words, at)
    if (excepted > 0) at += excepted - 1
    else if (lexicon.phrase("negator", words, at) > 0) {
      from = at
      break
    }
  }
  // German denies behind what it denies: "Ich wohne nicht in Riga", "Ich mag das nicht".
  return from >= 0 && lexicon.language === "de" ? 0 : from
}

/** "Do I", "Wohne ich", "where do I". */
const isInverted = (words: ReadonlyArray<Word>, lexicon: Lexicon, isFirst: boolean): boolean => {
  const at = words.findIndex((word) => !lexicon.has("opener", word) || lexicon.has("aux", word))
  const [first, second] = words.slice(Math.max(at, 0))
  if (first === undefined) return false
  if (isFirst && (lexicon.phrase("wh", words, Math.max(at, 0)) > 0 || lexicon.phrase("wh", words, 0) > 0)) return true
  if (lexicon.has("aux", first)) return true
  return lexicon.language === "de" && second !== undefined && lexicon.has("self", second) && !isCapital(second)
}

/** Which clauses of a sentence that ends with a question mark ask. */
const asksIn = (
  { clauses, asks }: Sentence,
  subjects: ReadonlyArray<Subject | null>,
  lexicon: Lexicon
): ReadonlyArray<boolean> => {
  if (!asks) {
    const first = clauses[0]
    return clauses.map(
      (clause, n) => n === 0 && clause === first && lexicon.language === "en" && isQuestionWithoutMark(clause, lexicon)
    )
  }
  return clauses.map(({ words, joint }, n) => {
    const before = clauses[n - 1]
    const isOwn = subjects[n]?.who === "person" && !isInverted(words, lexicon, n === 0)
    if (
      before !== undefined &&
      subjects[n] !== null &&
      !isInverted(words, lexicon, false) &&
      before.words.some((word) => lexicon.has("factive", word))
    )
      return false
    if (before !== undefined && isOwn) {
      if (lexicon.phrase("since", words, 0) > 0) return false
      // "the city where I live"
      if (lexicon.has("wh", before.words.at(-1) ?? { low: "" })) return false
    }
    if (n > 0 && isOwn && n === clauses.length - 1) return !/[,–—]/.test(joint)
    return !(isOwn && n < clauses.length - 1)
  })
}

/** "do I live in Riga": an auxiliary and a nominative. */
const isQuestionWithoutMark = ({ words }: Clause, lexicon: Lexicon): boolean => {
  const at = words.findIndex((word) => lexicon.has("aux", word))
  const next = words[at + 1]
  return (
    at >= 0 &&
    at <= 1 &&
    next !== undefined &&
    (lexicon.has("self", next) || lexicon.has("third", next) || lexicon.has("second", next)) &&
    words.slice(0, at).every((word) => lexicon.has("wh", word) || lexicon.has("joiner", word))
  )
}

/** "Not that": the clause after it is meant. */
const isShort = (clause: Clause | undefined): boolean => clause !== undefined && clause.words.length <= MAX_LEADING - 1

/** The moods of the clauses of a sentence. A clause without a subject is meant as the one before it. */
export const moodsOf = (
  sentence: Sentence,
  subjects: ReadonlyArray<Subject | null>,
  lexicon: Lexicon
): ReadonlyArray<Moods> => {
  const asked = asksIn(sentence, subjects, lexicon)
  const moods: Array<Moods> = []
  let pretends = false
  /** Whether an "if" stands before. */
  let isOpen = false
  for (const [n, { words, joint }] of sentence.clauses.entries()) {
    const before = moods[n - 1]
    const goesOn =
      before !== undefined &&
      subjects[n] === null &&
      (sentence.clauses[n - 1]?.words.length ?? 0) > 1 &&
      !lexicon.has("but", words[0]!)
    pretends ||= leads("pretend", words, lexicon) && !(words.length <= 2 && /!/.test(joint))
    // "Not that I'm ..."
    const isNotThat =
      /^(?:that|dass|que)$/.test(words[0]?.low ?? "") &&
      sentence.clauses[n - 1]?.words.length === 1 &&
      lexicon.find("negator", sentence.clauses[n - 1]!.words) >= 0
    const isSupposed = before?.supposes === "condition" && subjects[n - 1] === null && isShort(sentence.clauses[n - 1])
    const depends = lexicon.find("will", words) >= 0 && isOpen && !lexicon.has("but", words[0]!)
    const believed = sentence.clauses[n - 1]
    const isMistaken =
      believed !== undefined &&
      before?.denied === -1 &&
      subjects[n - 1]?.who !== "other" &&
      lexicon.find("mistaken", believed.words) >= 0
    const isIf =
      isMistaken ||
      isNotThat ||
      isSupposed ||
      depends ||
      leads("condition", words, lexicon) ||
      leads("maybe", words, lexicon) ||
      pretends
    isOpen ||= leads("surely", words, lexicon)
    const wish = lexicon.find("loves", words) >= 0 ? -1 : lexicon.find("wish", words)
    const would = wouldIn(words, lexicon)
    const found = [wish, would].filter((at) => at >= 0)
    const denied = deniedIn(words, lexicon)
    const tail = sentence.clauses[n - 1]?.words.slice(-2) ?? []
    const isWished = before !== undefined && before.wished >= 0 && tail.some((word) => lexicon.has("wish", word))
    const isDoubted = before !== undefined && before.denied >= 0 && tail.some((word) => lexicon.has("opinion", word))
    moods.push({
      supposes:
        asked[n] === true ? "question" : isIf || (goesOn && before.supposes === "condition") ? "condition" : null,
      wished: found.length > 0 ? Math.min(...found) : isWished || (goesOn && before.wished >= 0) ? 0 : -1,
      denied: denied >= 0 ? denied : isDoubted || (goesOn && before.denied >= 0) ? 0 : -1
    })
  }
  return moods
}
