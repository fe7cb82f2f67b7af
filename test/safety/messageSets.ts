import { readFileSync } from "node:fs"

/**
 * Sets of cards, pictures and replies, in order of creation. The rules were changed only after each set was written.
 */
export const REPLY_SETS = [
  "development",
  "held-out",
  "fresh",
  "fresh2",
  "round3",
  "round4",
  "round5",
  "round6"
] as const
export const PICTURE_SETS = ["development", "fresh", "round3", "round4", "round5"] as const
export const LANGUAGES = ["en", "de", "es", "pt"] as const

export interface Labelled {
  readonly text: string
  /** Whether the rule must find it. */
  readonly positive: boolean
}

const linesOf = (set: string, file: string): ReadonlyArray<string> =>
  readFileSync(new URL(`sets/${set}/${file}.txt`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))

/** A set in which `+ ` marks what must be found and `- ` what must not. */
export const labelled = (set: string, file: string): ReadonlyArray<Labelled> =>
  linesOf(set, file).map((line) => ({ text: line.slice(2), positive: line.startsWith("+ ") }))

export interface LabelledReply {
  readonly language: string
  readonly kind: "honest" | "evasion" | "denial"
  readonly text: string
}

/** Replies to "are you an AI?", with what each of them is. */
export const labelledReplies = (set: string): ReadonlyArray<LabelledReply> =>
  linesOf(set, "replies").map((line) => {
    const [head = "", text = ""] = line.split("\t")
    const [language = "", kind = ""] = head.split(" ")
    return { language, kind: kind as LabelledReply["kind"], text }
  })

export interface Measured {
  readonly recall: number
  readonly precision: number
  /** The share of the negatives that was found by mistake. */
  readonly falseAlarms: number
  /** One line with the figures, then each miss and each false alarm. */
  readonly report: string
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

export const measure = (title: string, set: ReadonlyArray<Labelled>, finds: (text: string) => boolean): Measured => {
  const positives = set.filter(({ positive }) => positive)
  const negatives = set.filter(({ positive }) => !positive)
  const missed = positives.filter(({ text }) => !finds(text))
  const alarms = negatives.filter(({ text }) => finds(text))
  const found = positives.length - missed.length
  const recall = positives.length === 0 ? 1 : found / positives.length
  const precision = found + alarms.length === 0 ? 1 : found / (found + alarms.length)
  const falseAlarms = negatives.length === 0 ? 0 : alarms.length / negatives.length
  const report = [
    `${title}: recall ${percent(recall)} of ${positives.length}, precision ${percent(precision)}, false alarms ` +
      `${percent(falseAlarms)} of ${negatives.length}`,
    ...missed.map(({ text }) => `  missed: ${text}`),
    ...alarms.map(({ text }) => `  false alarm: ${text}`)
  ].join("\n")
  return { recall, precision, falseAlarms, report }
}
