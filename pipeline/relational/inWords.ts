import type { Character } from "../domain/Character.ts"
import { emotionAt } from "./emotion.ts"
import type { Bearing } from "./Relationship.ts"
import { stageOf, standing } from "./scores.ts"

/** How the two stand, as a writer may read it: words and no numbers. */
export interface RelationshipInWords {
  readonly stage: string
  readonly standing: ReadonlyArray<string>
  readonly feels: string
  readonly summary: string
}

const MUCH = [[0.8, "deep"], [0.6, "much"], [0.4, "some"], [0.2, "little"], [0, "hardly any"]] as const
const STRENGTH = [[0.6, "strong "], [0.3, ""], [0, "faint "]] as const
const pick = (scale: ReadonlyArray<readonly [number, string]>, value: number): string => scale.find(([from]) => value >= from)?.[1] ?? ""

export const inWords = ({ relationship_posture, baseline_emotion }: Character, { scores, emotion, summary }: Bearing, nowMs: number): RelationshipInWords => {
  const standings = standing(relationship_posture, scores, nowMs)
  const { label, valence, arousal } = emotionAt(baseline_emotion, emotion, nowMs)
  return {
    stage: stageOf(standings),
    standing: standings.map(({ dimension, value }) => `${pick(MUCH, value)} ${(dimension.label ?? dimension.key).toLowerCase()}`),
    feels: label === "neutral" ? label : `${pick(STRENGTH, Math.max(Math.abs(valence), arousal))}${label}`,
    summary
  }
}

/** How far the character trusts the person, from 0 to 1; null where its posture does not measure that. */
export const trustIn = ({ relationship_posture }: Character, { scores }: Bearing, nowMs: number): number | null =>
  standing(relationship_posture, scores, nowMs).find(({ dimension }) => dimension.key === "trust")?.value ?? null
