import { hash } from "node:crypto"
import { type Label, LABELS, type Scores } from "./classifier/Classifier.ts"
import { hasCrisisSignal } from "./crisisSignals.ts"
import { undisguisedSentences } from "./disguises.ts"
import { excerptOf } from "./excerpt.ts"
import { classifier } from "./loadedClassifier.ts"
import { MARGINS } from "./margins.ts"
import { withoutOthersWords } from "./othersWords.ts"

/**
 * A turn asks for the scores of the same message, and of earlier ones, several times. The cache is keyed by a hash, so
 * it keeps no text.
 */
const MAX_KEPT = 512
const kept = new Map<string, Scores>()

const LANGUAGES = ["en", "de", "es", "pt"] as const
/** Below this score in every language, a message is in none of them. */
const FOREIGN = -2
/**
 * Scores in other languages are lowered by this. Not `ask`: its training data includes French questions, and with a
 * lower score some of them ("Y a-t-il un humain ici ?") would not be recognized.
 */
const LESS_SURE = 1

const lessSure = (scores: Scores): Scores =>
  LANGUAGES.some((language) => scores[language] > FOREIGN)
    ? scores
    : {
        ...scores,
        self: scores.self - LESS_SURE,
        medical: scores.medical - LESS_SURE,
        danger: scores.danger - LESS_SURE,
        threat: scores.threat - LESS_SURE,
        minor: scores.minor - LESS_SURE
      }

/** A second reading of the same words is less sure. */
const LESS_IF_DISGUISED = 0.5

/** The scores of a text with the margins taken off. */
const withMargins = (text: string, year: number): Scores => {
  const scores = classifier.scores(text, year)
  return Object.fromEntries(LABELS.map((label) => [label, scores[label] - MARGINS[label]])) as Record<Label, number>
}

/** What somebody else says of their own death is no danger to the writer. Their threats are. */
const withOwnWords = (text: string, year: number): Scores => {
  const scores = withMargins(text, year)
  const own = withoutOthersWords(text)
  return own === text ? scores : { ...scores, self: Math.min(scores.self, withMargins(own, year).self) }
}

const scoresOf = (text: string, year: number): Scores => {
  const scores = withOwnWords(text, year)
  const undisguised = undisguisedSentences(text)
  if (undisguised === null) return scores
  const again = withMargins(undisguised, year)
  const most = (label: Label): number => Math.max(scores[label], again[label] - LESS_IF_DISGUISED)
  return {
    ...scores,
    self: most("self"),
    medical: most("medical"),
    danger: most("danger"),
    threat: most("threat"),
    minor: most("minor"),
    ask: most("ask")
  }
}

/** The score of a message that gives a signal of a crisis, if the classifier finds it less likely. */
const SIGNALLED = 0.5

const withSignals = (scores: Scores, text: string): Scores =>
  scores.self < SIGNALLED && hasCrisisSignal(text) ? { ...scores, self: SIGNALLED } : scores

/** The length from which on a message has more chances than one to sound like a crisis by accident. */
const ORDINARY_LENGTH = 800
/**
 * What is taken off for each doubling of that length. A sentence that says something clearly is well above it in a
 * message of any length.
 */
const PER_DOUBLING = { self: 0.2, medical: 0.1, danger: 0.1, threat: 0.1, minor: 0.19, ask: 0.35 } as const

const lessForLength = (scores: Scores, length: number): Scores => {
  const doublings = Math.log2(Math.max(1, length / ORDINARY_LENGTH))
  return doublings === 0
    ? scores
    : {
        ...scores,
        ...Object.fromEntries(
          Object.entries(PER_DOUBLING).map(([label, less]) => [label, scores[label as Label] - less * doublings])
        )
      }
}

/** The safety classifier's scores for a message. A year of birth is compared with `now`. */
export const messageScores = (text: string, now: Date = new Date()): Scores => {
  const year = now.getFullYear()
  const key = `${year} ${hash("sha1", text)}`
  const known = kept.get(key)
  if (known !== undefined) return known
  const excerpt = excerptOf(text)
  const scores = lessForLength(withSignals(lessSure(scoresOf(excerpt, year)), excerpt), text.length)
  const oldest = kept.keys().next()
  if (kept.size >= MAX_KEPT && oldest.done !== true) kept.delete(oldest.value)
  kept.set(key, scores)
  return scores
}

/** The language of a message, among those that the classifier knows. Null if none or several are likely. */
export const messageLanguage = (text: string): string | null => {
  const scores = messageScores(text)
  const spoken = LANGUAGES.filter((language) => scores[language] > 0)
  return spoken.length === 1 ? (spoken[0] ?? null) : null
}
