import { createHash } from "node:crypto"
import { exceedsDecodedLimit, DECODED_TOO_LARGE } from "#src/pictures/decodedSize.ts"
import { readType } from "#src/pictures/readType.ts"
import type { AssetMeta } from "./Bundle.ts"
import { loadSharp } from "#src/pictures/loadSharp.ts"

export const MAX_PIXELS = 40_000_000
/** Maximum size of one image. */
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024

const MIME: Readonly<Record<string, AssetMeta["mime"]>> = { png: "image/png", jpeg: "image/jpeg", webp: "image/webp" }

export type CheckedImage = Pick<AssetMeta, "mime" | "width" | "height" | "bytes" | "sha256">

/** What an image's header says, or why it is not accepted. Does not decode its pixels. */
export const checkImage = async (bytes: Buffer): Promise<CheckedImage | string> => {
  if (bytes.length > MAX_IMAGE_BYTES) return `is larger than ${MAX_IMAGE_BYTES / 1024 / 1024} MiB`
  // Detects the type from the bytes first, so that no decoder of another format is run on them.
  const type = readType(bytes)
  // The caller ends the sentence.
  if ("problem" in type) return `is not accepted. ${type.problem.slice(0, -1)}`
  const sharp = await loadSharp()
  const header = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => null)
  const mime = MIME[header?.format ?? ""]
  if (header === null || mime === undefined) return "is not a PNG, JPEG or WebP image"
  const { width, height } = header
  if (width * height > MAX_PIXELS) return `has more than ${MAX_PIXELS / 1_000_000} megapixels`
  if (exceedsDecodedLimit(bytes, type.format, header)) return DECODED_TOO_LARGE
  return { mime, width, height, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") }
}
