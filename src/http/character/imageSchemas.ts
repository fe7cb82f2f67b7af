import * as z from "zod"
import { ImageKinds } from "#pipeline/safety/pictures.ts"
import { IMAGE_STATUSES } from "#src/db/character/Images.ts"
import { IMAGE_SIZES } from "#src/model/ImageModel.ts"
import { text } from "#src/http/server/schemas/text.ts"

const kind = z.enum(ImageKinds)
const size = z.enum(IMAGE_SIZES)

export const ImageCreate = z.object({
  character_slug: text(1, 63),
  session_id: z
    .string()
    .max(64)
    .optional()
    .meta({
      description:
        "The session that the image is for. Its end-user's caps apply, and the character looks the way " +
        "it feels there"
    }),
  kind,
  prompt: text(1, 1000)
    .optional()
    .meta({
      description:
        "What the image shows. Required for a selfie or a scene. Not allowed for characters that are not adults",
      examples: ["Waving from the pier, wind in the hair."]
    }),
  caption: text(1, 300).optional().meta({ description: "What the character says with the image" }),
  size: size.default("square"),
  deliver: z
    .boolean()
    .default(false)
    .meta({ description: "true: add image.ready to the session's log when the image is made" })
})

const time = z.iso.datetime()
export const imageStatus = z.enum(IMAGE_STATUSES)
export const ImageData = z.object({
  image_request_id: z.string(),
  trace_id: z.string().describe("The run that makes the image"),
  character_slug: z.string(),
  session_id: z.string().nullable(),
  turn_id: z.string().nullable().describe("The run_ref of the turn whose reply the image belongs to"),
  kind,
  prompt: z.string().nullable(),
  caption: z.string().nullable(),
  size,
  deliver: z.boolean(),
  status: imageStatus,
  servable: z.boolean(),
  error_code: z.string().nullable(),
  estimate_usd: z.number().describe("Amount reserved. It is returned if the image fails"),
  engine: z.string().nullable(),
  model: z.string().nullable(),
  visible_description: z.string().nullable(),
  image_url: z
    .string()
    .nullable()
    .describe("URL of the file. Anyone who has it can see the image without a key, until the image is deleted"),
  media_type: z.string().nullable(),
  width: z.int().nullable(),
  height: z.int().nullable(),
  created_at: time,
  finished_at: time.nullable()
})
export const ImagePage = z.object({ images: z.array(ImageData), next_cursor: z.string().nullable() })
export const ImageProbeData = z.object({
  status: z.enum(["ok", "failed"]),
  engine: z.string(),
  model: z.string(),
  storage: z.enum(["database", "folder", "s3"]),
  error_code: z.string().nullable(),
  latency_ms: z.number(),
  cost_usd: z.number()
})
