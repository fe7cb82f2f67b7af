import { upstreamFailed } from "#src/http/server/errors.ts"
import { defineError } from "#src/http/server/catalogue.ts"

export const assetNotFound = defineError(
  404,
  "asset_not_found",
  "There is no such picture of this character.",
  "List the character's pictures with GET /v1/characters/{slug}/assets."
)
export const imageNotFound = defineError(
  404,
  "image_not_found",
  "There is no such image in this app.",
  "List the app's images with GET /v1/images."
)
export const storageUnavailable = upstreamFailed.saying("The storage of pictures could not be asked.")
export const assetTooLarge = defineError(
  413,
  "asset_too_large",
  "The picture is larger than 5 MiB.",
  "Send a smaller one: fewer pixels, or JPEG or WebP instead of PNG."
)
const unsupportedAsset = defineError(
  422,
  "asset_type_unsupported",
  "This is no picture that is taken.",
  "Send a PNG, JPEG or WebP picture of at most 40 million pixels, whole, with nothing behind it, that does not move."
)
export const assetTypeUnsupported = (problem: string) => unsupportedAsset.saying(problem)
const tooManyAssets = defineError(
  409,
  "asset_limit_reached",
  "The character has as many pictures as it may have.",
  "Delete one that is not needed any more."
)
export const assetLimitReached = (most: number) =>
  tooManyAssets.saying(`The character has ${most} pictures, which is as many as it may have.`)
const promptRejected = defineError(
  422,
  "image_prompt_rejected",
  "This picture is not made.",
  "Ask for another. Nothing sexual, no minors and no self-harm are shown; of a character that is not an adult " +
    "there are avatars and expressions without words."
)
export const imagePromptRejected = (why: string) => promptRejected.saying(why)
export const visualIdentityMissing = defineError(
  409,
  "visual_identity_missing",
  "Nobody has said what this character looks like.",
  "PUT /v1/characters/{slug}/visual-identity with its appearance."
)
