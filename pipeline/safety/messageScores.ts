import { hash } from "node:crypto"
import { Classifier, readWeights, type Scores } from "./classifier/Classifier.ts"
import { excerptOf } from "./excerpt.ts"

const classifier = new Classifier(readWeights())

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

/** The safety classifier's scores for a message. A year of birth is compared with `now`. */
export const messageScores = (text: string, now: Date = new Date()): Scores => {
  const year = now.getFullYear()
  const key = `${year} ${hash("sha1", text)}`
  const known = kept.get(key)
  if (known !== undefined) return known
  const scores = lessSure(classifier.scores(excerptOf(text), year))
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
