import * as z from "zod"
import { exampleDialogues, fallbackLines, greeting, offlineLines } from "./dialogueSchemas.ts"
import { forbiddenStyle } from "./forbiddenStyleSchemas.ts"
import { mergePatchOf } from "#src/http/server/schemas/mergePatch.ts"
import { generation } from "./generationSchemas.ts"
import { expectedVersion } from "#src/http/server/schemas/number.ts"
import { interests, persona } from "./personaSchemas.ts"
import { baselineEmotion, behavioralThresholds, relationshipPosture, safety } from "./relationshipSchemas.ts"
import { text } from "#src/http/server/schemas/text.ts"
import { voice, voiceSamples } from "./voiceSchemas.ts"
import { lifeRhythm, worldContext } from "./worldSchemas.ts"

const SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/

/** Whether external text has the form of a slug. Any other text cannot name a character. */
export const isSlug = (text: string): boolean => SLUG.test(text)

/**
 * Defaults are described but not filled in. The profile is stored as authored, so that a later default also applies to
 * older characters.
 */
export const CharacterCreate = z.object({
  slug: z
    .string()
    .regex(SLUG, "Invalid slug: expected 1 to 63 of a-z, 0-9 and -, not beginning with -")
    .meta({ description: "Identifier of the character, unique in the app", examples: ["mara-the-innkeeper"] }),
  display_name: text(1, 80).meta({ examples: ["Mara"] }),
  visible_bio: text(0, 2000).optional().meta({ description: "Public description" }),
  persona: persona.optional(),
  interests: interests.optional(),
  voice: voice.optional(),
  voice_samples: voiceSamples.optional(),
  example_dialogues: exampleDialogues.optional(),
  forbidden_style: forbiddenStyle.optional(),
  greeting: greeting.optional(),
  life_rhythm: lifeRhythm.optional(),
  world_context: worldContext.optional(),
  relationship_posture: relationshipPosture.optional(),
  baseline_emotion: baselineEmotion.optional(),
  behavioral_thresholds: behavioralThresholds.optional(),
  generation: generation.optional(),
  safety: safety.optional(),
  fallback_lines: fallbackLines.optional(),
  offline_lines: offlineLines.optional()
})
export type CharacterCreate = z.output<typeof CharacterCreate>

export const CharacterPatch = mergePatchOf(CharacterCreate)
  .extend({ expected_version: expectedVersion() })
  .meta({ description: "JSON merge patch (RFC 7396): null clears a field, and an array is replaced as a whole" })
export type CharacterPatch = z.output<typeof CharacterPatch>
