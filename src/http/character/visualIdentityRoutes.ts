import * as Effect from "effect/Effect"
import * as z from "zod"
import { NO_LOOKS, type StoredVisualIdentity, VisualIdentities } from "#src/db/character/VisualIdentities.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { validationError } from "#src/http/server/errors.ts"
import { findCharacter } from "./findCharacter.ts"
import { answers, written } from "#src/http/server/schemas/answers.ts"
import { VisualIdentityData, VisualIdentityPut } from "./assetSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { characterExists } from "./characterExists.ts"

const toResource = (slug: string, stored: StoredVisualIdentity | undefined) => ({
  character_slug: slug,
  ...(stored?.identity ?? NO_LOOKS),
  updated_at: stored?.updated_at.toISOString() ?? null
})

export const visualIdentityRoutes: Routes = ({ app, answer, baseUrl }) => {
  const tags = ["Visual assets"]
  const path = "/v1/characters/:slug/visual-identity"
  const params = z.object({ slug: z.string() })
  const ask = (slug: string) => [
    {
      command: curl(baseUrl(), "POST", "/v1/images", {
        character_slug: slug,
        kind: "avatar",
        prompt: "Smiling, in the kitchen."
      }),
      description: "Generate an image"
    }
  ]

  app.get(
    path,
    {
      config: { exists: characterExists },
      schema: {
        operationId: "getVisualIdentity",
        summary: "Get the character's visual identity",
        tags,
        params,
        response: answers(VisualIdentityData, "character_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { slug } = yield* findCharacter(request.principal.appId, request.params.slug)
          return success(
            toResource(slug, yield* VisualIdentities.use((identities) => identities.get(request.principal.appId, slug)))
          )
        })
      )
  )

  app.put(
    path,
    {
      config: { exists: characterExists, writes: true },
      schema: {
        operationId: "putVisualIdentity",
        summary: "Set the character's visual identity. Replaces the previous one",
        tags,
        params,
        body: VisualIdentityPut,
        response: answers(VisualIdentityData.extend(written), "character_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const { slug } = yield* findCharacter(appId, request.params.slug)
          const identities = yield* VisualIdentities
          const missing = yield* identities.put(appId, slug, request.body)
          if (missing !== -1)
            return yield* validationError(`body.reference_asset_ids[${missing}]: Must be an asset of this character`)
          return success(toResource(slug, yield* identities.get(appId, slug)), ask(slug))
        })
      )
  )
}
