import * as z from "zod"
import { NODE_KINDS } from "#pipeline/world/nodes.ts"
import { VISIBILITIES } from "#pipeline/world/World.ts"
import { mergePatchOf } from "#src/http/server/schemas/mergePatch.ts"
import { moment } from "#src/http/server/schemas/moment.ts"
import { between, unit } from "#src/http/server/schemas/number.ts"
import { text } from "#src/http/server/schemas/text.ts"

const visibility = z.enum(VISIBILITIES)
const node = z
  .string()
  .regex(
    /^(?:character|user|npc_[0-9A-HJKMNP-TV-Z]{26}|(?:place|org|topic):\S.{0,79})$/u,
    "Invalid node: expected character, user, an NPC's id, or place:, org: or topic: and a name"
  )
  .meta({
    description: "character, user, an NPC's id, or place:, org: or topic: and a name",
    examples: ["place:Lisbon"]
  })

export const edgeFields = z.object({
  from: node,
  to: node,
  relation: text(1, 60).meta({ examples: ["grew up in"] }),
  fact: text(1, 500).meta({ description: "One plain sentence", examples: ["She grew up in Lisbon, near the river."] }),
  sentiment: between(-1, 1)
    .default(0)
    .meta({ description: "-1 (hostile) to 1 (warm): the tone in which the character speaks of it" }),
  strength: unit()
    .default(0.5)
    .meta({ description: "If there is not enough room for all edges, the strongest are used" }),
  visibility: visibility.default("public").meta({
    description: "private: the character uses it but never tells it. secret: the character does not use it either"
  }),
  valid_at: moment.optional().meta({ description: "Since when it is true. Default: now" }),
  invalid_at: moment.nullable().default(null).meta({ description: "When it stops being true" }),
  source_ref: text(1, 200).nullable().default(null).meta({ description: "Your own reference to the source" })
})
export const EdgeCreate = edgeFields.extend({
  session_id: text(1, 64).nullable().default(null).meta({ description: "Only for this session" })
})
export const EdgePatch = mergePatchOf(edgeFields).meta({
  description: "JSON merge patch (RFC 7396): null clears a field"
})

const time = z.iso.datetime()
export const EdgeData = z.object({
  id: z.string(),
  character_slug: z.string(),
  session_id: z.string().nullable(),
  from: z.string(),
  to: z.string(),
  relation: z.string(),
  fact: z.string(),
  sentiment: z.number(),
  strength: z.number(),
  visibility,
  valid_at: time,
  invalid_at: time.nullable(),
  source_ref: z.string().nullable(),
  created_at: time,
  updated_at: time
})
export const GraphData = z.object({
  nodes: z.array(
    z.object({ id: z.string(), kind: z.enum(NODE_KINDS), label: z.string(), npc_id: z.string().optional() })
  ),
  edges: z.array(EdgeData)
})
