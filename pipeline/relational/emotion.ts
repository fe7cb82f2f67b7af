import type { Character } from "../domain/Character.ts"
import type { Extraction } from "./Extraction.ts"
import { instructs } from "./instructs.ts"
import type { Emotion } from "./Relationship.ts"

const MINUTE_MS = 60_000
const PLACES = 1_000
const rounded = (value: number, least: number): number =>
  Math.round(Math.min(1, Math.max(least, value)) * PLACES) / PLACES
/** So near to the baseline that the label is that of the baseline again. */
const SETTLED = 0.1

/** What the character feels by now: towards its baseline, half of the way in every half-life. */
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

/** One word: it is a label, which a writer reads and an app shows. */
const LABEL = /^\p{L}{2,30}$/u

/** A feeling that a model has named; null where what it named is none. */
export const feelingOf = (read: Extraction["character_emotion"]): Extraction["character_emotion"] => {
  if (read === null) return null
  const label = read.label.trim().toLowerCase()
  return LABEL.test(label) && !instructs(label) ? { ...read, label } : null
}

/** What it feels after something has pushed it that much. */
export const felt = (
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

/** How much of a feeling that comes up takes the place of the one that was there. */
const TAKES_OVER = 0.6

/** What it feels after something has moved it. */
export const moved = (
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
