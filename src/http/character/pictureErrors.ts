import { defineError } from "#src/http/server/catalogue.ts"

export const assetNotFound = defineError(
  404,
  "asset_not_found",
  "This character has no such picture.",
  "List the character's pictures with GET /v1/characters/{slug}/assets."
)
export const imageNotFound = defineError(
  404,
  "image_not_found",
  "There is no such image in this app.",
  "List the app's images with GET /v1/images."
)
export const assetTooLarge = defineError(
  413,
  "asset_too_large",
  "The picture is larger than 5 MiB.",
  "Send a smaller picture: fewer pixels, or JPEG or WebP instead of PNG."
)
const unsupportedAsset = defineError(
  422,
  "asset_type_unsupported",
  "This picture isn't accepted.",
  "Send a complete PNG, JPEG or WebP picture of at most 40 million pixels, without animation or trailing data."
)
export const assetTypeUnsupported = (problem: string) => unsupportedAsset.saying(problem)
const tooManyAssets = defineError(
  409,
  "asset_limit_reached",
  "The character has reached its limit of pictures.",
  "Delete one you no longer need."
)
export const assetLimitReached = (most: number) =>
  tooManyAssets.saying(`The character has ${most} pictures, which is the limit.`)
const promptRejected = defineError(
  422,
  "image_prompt_rejected",
  "This picture request was rejected.",
  "Change the prompt. Pictures can't show sexual content, minors or self-harm. For a character who isn't an adult, " +
    "only avatars and expressions without a prompt are available."
)
export const imagePromptRejected = (why: string) => promptRejected.saying(why)
export const visualIdentityMissing = defineError(
  409,
  "visual_identity_missing",
  "This character has no visual identity.",
  "Describe its appearance with PUT /v1/characters/{slug}/visual-identity."
)
