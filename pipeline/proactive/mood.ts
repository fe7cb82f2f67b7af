import { contentOf } from "../retrieval/contentWords.ts"
import { terms } from "../retrieval/terms.ts"
import { type Act, actOf } from "../relational/rules/acts.ts"
import { dangerIn } from "../safety/crisis.ts"

/** What weighs on a person, most serious first. */
export const MOOD_KINDS = ["crisis", "grief", "conflict", "low"] as const
export type MoodKind = (typeof MOOD_KINDS)[number]

export interface Mood {
  readonly kind: MoodKind
  /** When they last said so, in milliseconds. */
  readonly at: number
  /** The words of what they said, for comparison with what is due. */
  readonly words: ReadonlyArray<string>
}

/** A message of the person. */
export interface Said {
  readonly text: string
  /** In milliseconds. */
  readonly at: number
}

const DAY_MS = 86_400_000
const LASTS_MS: Readonly<Record<MoodKind, number>> = {
  crisis: 14 * DAY_MS,
  grief: 14 * DAY_MS,
  conflict: 7 * DAY_MS,
  low: 2 * DAY_MS
}
const READ_CHARS = 600

const GRIEF = new RegExp(
  String.raw`\b(?:(?:has |have |just )?(?:died|passed away)|(?:is|are) (?:dead|gone forever)|funeral|` +
    String.raw`buried (?:him|her|them|my)|` +
    String.raw`lost my (?:mum|mom|mother|dad|father|wife|husband|partner|son|daughter|child|baby|brother|sister|` +
    String.raw`grandm\w{1,8}|grandf\w{1,8}|gran|nan|best friend|dog|cat)|miscarriage|grieving)\b|` +
    String.raw`(?<!\p{L})(?:gestorben|verstorben|beerdigung|morreu|faleceu|enterro|luto|murió|falleció|entierro|` +
    String.raw`est (?:mort|morte|décédée?)|enterrement)(?!\p{L})`,
  "iu"
)
const CONFLICT = new RegExp(
  String.raw`\b(?:(?:i'?m|i am) (?:so |really |very )?(?:angry|mad|furious|upset|disappointed) (?:at|with|in) you|` +
    String.raw`leave me alone|you (?:hurt|betrayed|lied to|ignored|disappointed) me|you never listen|` +
    String.raw`(?:i'?m|i am) done (?:talking )?with you|i don'?t want to (?:talk|speak) to you|shut up|i hate you)\b|` +
    String.raw`(?<!\p{L})(?:(?:bin|ich bin) (?:so |echt |total )?(?:sauer|wütend) auf dich|lass mich in ruhe|` +
    String.raw`du hörst nie zu|deixa-me em paz|estou (?:tão |muito )?(?:zangad[oa]|chatead[oa]|furios[oa]) contigo|` +
    String.raw`déjame en paz|estoy (?:muy )?(?:enfadad[oa]|enojad[oa]) contigo|laisse-moi tranquille)(?!\p{L})`,
  "iu"
)
const RECONCILED = new RegExp(
  String.raw`\b(?:sorry|we'?re good|all good|forgiven|make up)\b|` +
    String.raw`(?<!\p{L})(?:tut mir leid|desculpa|perdona|perdón|pardon)(?!\p{L})`,
  "iu"
)

const kindOf = (text: string): MoodKind | "relief" | null => {
  if (dangerIn(text) !== null) return "crisis"
  const act = actOf(text)
  if (act === "grief" || GRIEF.test(text)) return "grief"
  if (act === "insult" || CONFLICT.test(text)) return "conflict"
  if (act === "bad_news") return "low"
  return act === "good_news" || act === "apology" || RECONCILED.test(text) ? "relief" : null
}

/** Whether a topic is about what weighs on the person, such as a funeral. */
export const isAbout = ({ words }: Mood, topic: string): boolean =>
  contentOf(terms(topic)).some((word) => words.includes(word))

/** Until when a mood is respected, in milliseconds. */
export const moodUntil = ({ kind, at }: Mood): number => at + LASTS_MS[kind]

/**
 * What weighs on the person, by their last messages (oldest first). Good news and an apology end a quarrel and low
 * spirits, but neither grief nor a crisis.
 */
export const moodOf = (said: ReadonlyArray<Said>, now: number): Mood | null => {
  const moods = new Map<MoodKind, Mood>()
  for (const { text: whole, at } of said) {
    const text = whole.slice(0, READ_CHARS)
    const kind = kindOf(text)
    if (kind === "relief") {
      moods.delete("conflict")
      moods.delete("low")
    } else if (kind !== null) moods.set(kind, { kind, at, words: contentOf(terms(text)) })
  }
  const weighs = MOOD_KINDS.map((kind) => moods.get(kind)).find((mood) => mood !== undefined && now < moodUntil(mood))
  return weighs ?? null
}

const HALF_DAY_MS = DAY_MS / 2
const TELLS_NEWS: ReadonlySet<Act> = new Set(["good_news", "bad_news", "grief"])

/**
 * Tells whether the person has already told how something went: in a message since it was due, or half a day before,
 * and not in the one that it was noted from. Each message is read once, however many topics are asked about.
 */
export const telling = (
  said: ReadonlyArray<Said>
): ((topic: string, times: { readonly dueAt: number; readonly notedAt: number }) => boolean) => {
  const readings = said.map(({ text: whole, at }) => {
    const text = whole.slice(0, READ_CHARS)
    return { at, isNews: TELLS_NEWS.has(actOf(text)), words: new Set(contentOf(terms(text))) }
  })
  return (topic, { dueAt, notedAt }) => {
    const since = readings.filter(({ at }) => at >= dueAt - HALF_DAY_MS && at > notedAt)
    if (since.length === 0) return false
    const topicWords = contentOf(terms(topic))
    return since.some(({ isNews, words }) => isNews || topicWords.some((word) => words.has(word)))
  }
}

/** Whether the person has ended the conversation, so that nothing waits for an answer. */
export const hasTakenLeave = (said: ReadonlyArray<Said>): boolean => {
  const last = said.at(-1)
  return last !== undefined && actOf(last.text.slice(0, READ_CHARS)) === "farewell"
}

/** Whether the person should be left to answer or not: gently, without a question, without anything light. */
export const needsGentleness = (kind: MoodKind | undefined): boolean => kind !== undefined && kind !== "low"
