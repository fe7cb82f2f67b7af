import type { Character } from "../domain/Character.ts"
import type { Extraction } from "./Extraction.ts"
import { isInstruction } from "./isInstruction.ts"
import type { Emotion } from "./Relationship.ts"

const MINUTE_MS = 60_000
const PLACES = 1_000
const rounded = (value: number, least: number): number =>
  Math.round(Math.min(1, Math.max(least, value)) * PLACES) / PLACES
/** Closer to the baseline than this, the label is that of the baseline. */
const SETTLED = 0.1

/** What the character feels now. The feeling decays towards its baseline, by half in every half-life. */
export const emotionAt = (
  { label, valence, arousal, recovery_half_life_minutes }: Character["baseline_emotion"],
  emotion: Emotion | null,
  nowMs: number
): Omit<Emotion, "updated_at"> => {
  if (emotion === null) return { label, valence, arousal }
  const left = 2 ** (-Math.max(0, nowMs - Date.parse(emotion.updated_at)) / MINUTE_MS / recovery_half_life_minutes)
  const away = { valence: (emotion.valence - valence) * left, arousal: (emotion.arousal - arousal) * left }
  return {
    label: Math.hypot(away.valence, away.arousal) < SETTLED ? label : emotion.label,
    valence: rounded(valence + away.valence, -1),
    arousal: rounded(arousal + away.arousal, 0)
  }
}

/** A single word, because it is a label that a writer reads and an app shows. */
const LABEL = /^\p{L}{2,30}$/u

/** A feeling named by a model. Null if it is not a valid label. */
export const feelingOf = (read: Extraction["character_emotion"]): Extraction["character_emotion"] => {
  if (read === null) return null
  const label = read.label.trim().toLowerCase()
  return LABEL.test(label) && !isInstruction(label) ? { ...read, label } : null
}

/** The feeling after a push of this size. */
export const shiftEmotion = (
  baseline: Character["baseline_emotion"],
  before: Emotion | null,
  by: { readonly label: string | null; readonly valence: number; readonly arousal: number },
  at: string
): Emotion => {
  const now = emotionAt(baseline, before, Date.parse(at))
  return {
    label: by.label ?? now.label,
    valence: rounded(now.valence + by.valence, -1),
    arousal: rounded(now.arousal + by.arousal, 0),
    updated_at: at
  }
}

/** The share of a new feeling that replaces the current one. */
const TAKES_OVER = 0.6

/** The feeling after an event has moved it. */
export const blendEmotion = (
  baseline: Character["baseline_emotion"],
  before: Emotion | null,
  by: Omit<Emotion, "updated_at">,
  at: string
): Emotion => {
  const now = emotionAt(baseline, before, Date.parse(at))
  return {
    label: by.label,
    valence: rounded(now.valence + (by.valence - now.valence) * TAKES_OVER, -1),
    arousal: rounded(now.arousal + (by.arousal - now.arousal) * TAKES_OVER, 0),
    updated_at: at
  }
}
