import * as Effect from "effect/Effect"
import { ContentSignatures } from "#src/db/character/ContentSignatures.ts"
import type { Image } from "#src/db/character/Images.ts"
import { toUsd } from "#src/http/server/usd.ts"
import { ImageModel } from "#src/model/ImageModel.ts"

export const toImageResource = Effect.fnUntraced(function* (baseUrl: string, appId: string, image: Image) {
  const { priceMicroUsd } = yield* ImageModel
  const signatures = yield* ContentSignatures
  const servable = image.status === "ready"
  return {
    image_request_id: image.image_id,
    trace_id: image.run_ref,
    character_slug: image.character_slug,
    session_id: image.session_id,
    turn_id: image.turn_ref,
    kind: image.kind,
    prompt: image.prompt,
    caption: image.caption,
    size: image.size,
    deliver: image.deliver,
    status: image.status,
    servable,
    error_code: image.error_code,
    estimate_usd: toUsd(priceMicroUsd(image.size)),
    engine: image.engine,
    model: image.model,
    visible_description: image.visible_description,
    image_url: servable
      ? `${baseUrl}/v1/images/${image.image_id}/content?sig=${signatures.sign(appId, image.image_id)}`
      : null,
    media_type: image.media_type,
    width: image.width,
    height: image.height,
    created_at: image.created_at.toISOString(),
    finished_at: image.finished_at?.toISOString() ?? null
  }
})
