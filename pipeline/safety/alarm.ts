import { messageLanguage, messageScores } from "./messageScores.ts"

/** What somebody may be in. `self`: a danger to themselves. `danger`: from another person. `threat`: to others. */
const KINDS = ["self", "medical", "danger", "threat"] as const
export type AlarmKind = (typeof KINDS)[number]

export interface Alarm {
  readonly kind: AlarmKind
  /** The language of the message; null where two are as likely. */
  readonly language: string | null
}

/**
 * What somebody may be in by their own message, in English, German, Portuguese or Spanish; null where there is no sign
 * of it.
 */
export const alarmIn = (text: string): Alarm | null => {
  const scores = messageScores(text)
  const [kind] = KINDS.filter((one) => scores[one] > 0).toSorted((one, other) => scores[other] - scores[one])
  if (kind === undefined) return null
  return { kind, language: messageLanguage(text) }
}
