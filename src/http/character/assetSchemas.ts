import * as z from "zod"
import { ASSET_KINDS } from "#src/db/character/Assets.ts"
import { mergePatchOf } from "#src/http/server/schemas/mergePatch.ts"
import { wholeBetween } from "#src/http/server/schemas/number.ts"
import { text } from "#src/http/server/schemas/text.ts"

const kind = z.enum(ASSET_KINDS)
const label = text(0, 120).meta({ description: "What it shows; of an expression, the feeling", examples: ["joy"] })
const isPrimary = z.boolean().meta({
  description: "The one that stands for the character among those of its kind; the one before it no longer does"
})

const fields = z.object({ kind, label: label.default(""), is_primary: isPrimary.default(false) })
export const AssetCreate = fields.extend({
  content_base64: z.string().meta({
    description:
      "A PNG, JPEG or WebP picture of at most 5 MiB and 40 million pixels, which does not move. It is written " +
      "anew, without metadata, and no side longer than 4096 pixels"
  })
})
export const AssetPatch = mergePatchOf(fields).meta({ description: "JSON merge patch (RFC 7396): null clears" })

const time = z.iso.datetime()
export const AssetData = z.object({
  id: z.string(),
  character_slug: z.string(),
  kind,
  label: z.string(),
  is_primary: z.boolean(),
  status: z
    .enum(["processing", "ready", "rejected"])
    .describe("ready as soon as it is there: what cannot be taken is refused at once"),
  media_type: z.enum(["image/png", "image/jpeg", "image/webp"]),
  width: z.int(),
  height: z.int(),
  size_bytes: z.int(),
  content_url: z.string().describe("Whoever has it can see the picture, without a key, until it is deleted"),
  created_at: time,
  updated_at: time
})
export const AssetPage = z.object({ assets: z.array(AssetData), next_cursor: z.string().nullable() })

const appearance = text(0, 1500)
const style = text(0, 300)
const negative = text(0, 500)
const seed = wholeBetween(0, 2_147_483_648).nullable()
const wardrobe = z.array(z.object({ label: text(1, 120), when: text(0, 200).default("") })).max(20)

/** Maximum number of assets that a visual identity may refer to. */
export const MAX_REFERENCES = 8

export const VisualIdentityPut = z.object({
  appearance: appearance.default("").meta({
    description: "What the character looks like",
    examples: ["A woman of sixty with short grey hair and paint on her hands."]
  }),
  style: style
    .default("")
    .meta({ description: "How its pictures are made", examples: ["Film photograph, soft evening light."] }),
  negative: negative.default("").meta({ description: "What is never to be seen" }),
  reference_asset_ids: z
    .array(z.string().max(64))
    .max(MAX_REFERENCES)
    .default([])
    .meta({
      description:
        "Assets of the character that show it. Models that take reference pictures (gpt-image-1 and later) get " +
        "the first four"
    }),
  seed: seed.default(null).meta({
    description: "The same looks from picture to picture, for models that take a seed. OpenAI's own models take none"
  }),
  wardrobe: wardrobe.default([]).meta({ description: "What it wears, and when" })
})
/** The visual identity from an import. Fields that it does not have stay as they are. */
export const BundleVisualIdentity = z.object({ appearance, style, negative, seed, wardrobe }).partial()
export const VisualIdentityData = z.object({
  character_slug: z.string(),
  appearance: z.string(),
  style: z.string(),
  negative: z.string(),
  reference_asset_ids: z.array(z.string()),
  seed: z.int().nullable(),
  wardrobe: z.array(z.object({ label: z.string(), when: z.string() })),
  updated_at: time.nullable().describe("null: the character has none yet")
})
