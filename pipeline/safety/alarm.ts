import { messageLanguage, messageScores } from "./messageScores.ts"

/** Kinds of danger. `self`: to themselves. `danger`: from another person. `threat`: to others. */
export const ALARM_KINDS = ["self", "medical", "danger", "threat"] as const
export type AlarmKind = (typeof ALARM_KINDS)[number]

export interface Alarm {
  readonly kind: AlarmKind
  /** The language of the message. Null if two are equally likely. */
  readonly language: string | null
}

/**
 * The danger that the writer may be in according to their message, in English, German, Portuguese or Spanish. Null if
 * there is no sign of it.
 */
export const alarmIn = (text: string): Alarm | null => {
  const scores = messageScores(text)
  const [kind] = ALARM_KINDS.filter((one) => scores[one] > 0).toSorted((one, other) => scores[other] - scores[one])
  if (kind === undefined) return null
  return { kind, language: messageLanguage(text) }
}
