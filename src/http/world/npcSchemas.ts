import * as z from "zod"
import { MENTION_POLICIES } from "#pipeline/world/World.ts"
import { isSlug } from "#src/http/character/characterSchemas.ts"
import { mergePatchOf } from "#src/http/server/schemas/mergePatch.ts"
import { text, texts } from "#src/http/server/schemas/text.ts"

const mentionPolicy = z.enum(MENTION_POLICIES)

export const NpcCreate = z.object({
  name: text(1, 80).meta({ examples: ["Tomás"] }),
  role: text(0, 120)
    .default("")
    .meta({ description: "Their relation to the character", examples: ["younger brother"] }),
  summary: text(0, 1000).default("").meta({ description: "What the character knows about them" }),
  aliases: texts(10, 80).default([]).meta({ description: "Other names" }),
  linked_slug: text(1, 63)
    .refine(isSlug, "Invalid slug")
    .nullable()
    .default(null)
    .meta({
      description:
        "The character of the app that this NPC represents, if any. Without a summary, its visible_bio is what the " +
        "character knows about the NPC"
    }),
  mention_policy: mentionPolicy
    .default("free")
    .meta({ description: "when_asked: mentioned only after the person has named them. never: not mentioned" })
})
export const NpcPatch = mergePatchOf(NpcCreate).meta({
  description: "JSON merge patch (RFC 7396): null clears a field"
})

const time = z.iso.datetime()
export const NpcData = z.object({
  id: z.string(),
  character_slug: z.string(),
  name: z.string(),
  role: z.string(),
  summary: z.string(),
  aliases: z.array(z.string()),
  linked_slug: z.string().nullable(),
  mention_policy: mentionPolicy,
  created_at: time,
  updated_at: time
})
export const NpcPage = z.object({ npcs: z.array(NpcData), next_cursor: z.string().nullable() })
