import * as z from "zod"
import { ASSET_KINDS } from "#src/db/character/Assets.ts"
import { mergePatchOf } from "#src/http/server/schemas/mergePatch.ts"
import { wholeBetween } from "#src/http/server/schemas/number.ts"
import { text } from "#src/http/server/schemas/text.ts"

const kind = z.enum(ASSET_KINDS)
const label = text(0, 120).meta({
  description: "What the picture shows. For an expression: the feeling",
  examples: ["joy"]
})
const isPrimary = z.boolean().meta({
  description: "Makes this the main picture of its kind, in place of the previous one"
})

const fields = z.object({ kind, label: label.default(""), is_primary: isPrimary.default(false) })
export const AssetCreate = fields.extend({
  content_base64: z.string().meta({
    description:
      "A PNG, JPEG or WebP picture of at most 5 MiB and 40 million pixels, without animation. It is " +
      "re-encoded without metadata, and scaled down so that no side is longer than 4096 pixels"
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
    .describe("Always ready: a picture that is not accepted is refused when it is uploaded"),
  media_type: z.enum(["image/png", "image/jpeg", "image/webp"]),
  width: z.int(),
  height: z.int(),
  size_bytes: z.int(),
  content_url: z
    .string()
    .describe("URL of the file. Anyone who has it can see the picture without a key, until the picture is deleted"),
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
    .meta({ description: "Style of its images", examples: ["Film photograph, soft evening light."] }),
  negative: negative.default("").meta({ description: "What images must not show" }),
  reference_asset_ids: z
    .array(z.string().max(64))
    .max(MAX_REFERENCES)
    .default([])
    .meta({
      description:
        "Assets that show the character. Models that accept reference images (gpt-image-1 and later) get " +
        "the first four"
    }),
  seed: seed.default(null).meta({
    description: "Keeps the look consistent between images, for models that accept a seed. OpenAI's own models do not"
  }),
  wardrobe: wardrobe.default([]).meta({ description: "What the character wears, and when" })
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
  updated_at: time.nullable().describe("null: the character has no visual identity yet")
})
