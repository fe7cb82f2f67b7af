import { dataBlock, fitting } from "../chat.ts"
import type { Character } from "../domain/Character.ts"
import { SAMPLES_MAX_CHARS } from "./blockLimits.ts"

/**
 * The same for every turn of a session, so that providers can cache it as a prefix. It contains no secrets; those are
 * in `knowledge`.
 */
export const stablePartOf = (
  rules: string,
  {
    display_name,
    visible_bio,
    persona,
    interests,
    voice,
    voice_samples,
    forbidden_style,
    world_context,
    relationship_posture
  }: Character
): string => {
  const { summary, traits, values, flaws, goals } = persona
  return [
    rules,
    dataBlock("character", {
      display_name,
      visible_bio,
      persona: { summary, traits, values, flaws, goals: goals.map((goal) => goal.text) },
      interests,
      boundaries: relationship_posture.boundaries
    }),
    dataBlock("voice", {
      ...voice,
      samples: fitting(voice_samples, SAMPLES_MAX_CHARS),
      never: forbidden_style.filter(({ kind }) => kind !== "regex").map(({ value }) => value)
    }),
    dataBlock("world", { summary: world_context.summary, scene: world_context.scene })
  ].join("\n\n")
}
