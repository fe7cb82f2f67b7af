import type { Character } from "../domain/Character.ts"
import { type Mood, NEUTRAL_MOOD } from "../world/arcs.ts"
import { emotionAt } from "./emotion.ts"
import type { Bearing } from "./Relationship.ts"
import { stageOf, currentScores } from "./scores.ts"

/** The relationship as a writer reads it: in words, without numbers. */
export interface RelationshipDescription {
  readonly stage: string
  readonly standing: ReadonlyArray<string>
  readonly feels: string
  readonly summary: string
}

const MUCH = [
  [0.8, "deep"],
  [0.6, "much"],
  [0.4, "some"],
  [0.2, "little"],
  [0, "hardly any"]
] as const
const STRENGTH = [
  [0.6, "strong "],
  [0.3, ""],
  [0, "faint "]
] as const
const pick = (scale: ReadonlyArray<readonly [number, string]>, value: number): string =>
  scale.find(([from]) => value >= from)?.[1] ?? ""

const clamp = (value: number, least: number): number => Math.min(1, Math.max(least, value))
/** Deviations below this are not noticeable. */
const FELT = 0.2

/**
 * The character's feeling with its current influences. If it feels nothing in particular, it is in good or low spirits.
 */
export const biased = (
  feeling: ReturnType<typeof emotionAt>,
  { valence, arousal }: Mood
): ReturnType<typeof emotionAt> => {
  if (valence === 0 && arousal === 0) return feeling
  const next = { valence: clamp(feeling.valence + valence, -1), arousal: clamp(feeling.arousal + arousal, 0) }
  const label =
    feeling.label !== "neutral" || Math.abs(next.valence) < FELT ? feeling.label : next.valence > 0 ? "joy" : "sadness"
  return { label, ...next }
}

/** The relationship with the character's current influences. They change what is read and nothing that is stored. */
export const describeRelationship = (
  { relationship_posture, baseline_emotion }: Character,
  { scores, emotion, summary }: Bearing,
  nowMs: number,
  mood: Mood = NEUTRAL_MOOD
): RelationshipDescription => {
  const standings = currentScores(relationship_posture, scores, nowMs).map(({ dimension, value, updatedAt }) => ({
    dimension,
    value: clamp(value + (mood.scoreBias[dimension.key] ?? 0), 0),
    updatedAt
  }))
  const { label, valence, arousal } = biased(emotionAt(baseline_emotion, emotion, nowMs), mood)
  return {
    stage: stageOf(standings),
    standing: standings.map(
      ({ dimension, value }) => `${pick(MUCH, value)} ${(dimension.label ?? dimension.key).toLowerCase()}`
    ),
    feels: label === "neutral" ? label : `${pick(STRENGTH, Math.max(Math.abs(valence), arousal))}${label}`,
    summary
  }
}

/** How far the character trusts the person, from 0 to 1. Null if its posture does not measure trust. */
export const trustIn = ({ relationship_posture }: Character, { scores }: Bearing, nowMs: number): number | null =>
  currentScores(relationship_posture, scores, nowMs).find(({ dimension }) => dimension.key === "trust")?.value ?? null
