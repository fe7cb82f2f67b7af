import { dataBlock, fitting } from "../chat.ts"
import type { Character } from "../domain/Character.ts"
import { anchorsOf } from "./anchors.ts"
import { SAMPLES_MAX_CHARS } from "./blockLimits.ts"
import { filled, filledBlock } from "./filledBlock.ts"
import { SERVICE_RULES } from "./serviceRules.ts"

/**
 * The same for every turn of a session, so that providers can cache it as a prefix. It contains no secrets; those are
 * in `knowledge`.
 */
export const stablePartOf = (character: Character): string => {
  const {
    display_name,
    visible_bio,
    persona,
    interests,
    voice,
    voice_samples,
    forbidden_style,
    world_context,
    relationship_posture
  } = character
  const { summary, traits, values, flaws, goals } = persona
  const never = forbidden_style.filter(({ kind }) => kind !== "regex").map(({ value }) => value)
  const world = { summary: world_context.summary, scene: world_context.scene }
  return [
    SERVICE_RULES,
    dataBlock("character", {
      display_name,
      ...filled({
        visible_bio,
        persona: filled({ summary, traits, values, flaws, goals: goals.map((goal) => goal.text) }),
        interests,
        boundaries: relationship_posture.boundaries
      })
    }),
    dataBlock("voice", { ...voice, ...filled({ samples: fitting(voice_samples, SAMPLES_MAX_CHARS), never }) }),
    ...filledBlock("world", filled(world)),
    ...filledBlock("examples", anchorsOf(character))
  ].join("\n\n")
}
