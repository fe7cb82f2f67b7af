import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { fillMacros, fillTexts, NOBODY } from "#pipeline/domain/macros.ts"
import type { ImageKind } from "#pipeline/safety/pictures.ts"
import { Assets } from "#src/db/character/Assets.ts"
import { Characters } from "#src/db/character/Characters.ts"
import { CharacterVersions } from "#src/db/character/CharacterVersions.ts"
import { ContentSignatures } from "#src/db/character/ContentSignatures.ts"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import { type ImageResult, Images } from "#src/db/character/Images.ts"
import { type ClaimedImage, MAX_ATTEMPTS } from "#src/db/character/imageStatements.ts"
import { Relationships } from "#src/db/memory/Relationships.ts"
import { StoredObjects } from "#src/db/character/StoredObjects.ts"
import { VisualIdentities } from "#src/db/character/VisualIdentities.ts"
import {
  type ImageSize,
  isPlaceholder,
  MAX_REFERENCES_SENT,
  ImageModel,
  type ReferencePicture
} from "#src/model/ImageModel.ts"
import { imagePrompt } from "#src/model/imagePrompt.ts"
import { Pictures } from "#src/pictures/Pictures.ts"
import { attempt } from "#src/units/attempt.ts"
import { unitOf } from "#src/units/Unit.ts"
import { Membership } from "#src/jobs/runner/Membership.ts"
import { PublicAddress } from "#src/jobs/telegram/PublicAddress.ts"
import { makeSharedRuns } from "#src/jobs/runner/sharedRuns.ts"
import { task } from "#src/jobs/runner/task.ts"

/** Maximum number of concurrent pictures per app and process. */
const AT_ONCE = 6

type Outcome = Pick<ImageResult, "status" | "errorCode" | "picture">
const failed = (errorCode: string): Outcome => ({ status: "failed", errorCode, picture: null })
const blocked = (errorCode: string): Outcome => ({ status: "blocked", errorCode, picture: null })

const KIND_IN_WORDS: Readonly<Record<ImageKind, string>> = {
  selfie: "A selfie of",
  scene: "A scene of",
  avatar: "A portrait of",
  expression: "The face of"
}
/** Maximum length of a picture description. */
const MAX_CHARACTERS = 400

/**
 * Generates the requested pictures. Each is claimed in the table, so if its worker dies, another one starts it again.
 * The reservation for a failed picture is released.
 */
export class ImageWorker extends Context.Service<
  ImageWorker,
  {
    /** Generates waiting pictures until there are none. */
    readonly work: Effect.Effect<void, DatabaseError>
  }
>()("src/jobs/character/ImageWorker") {
  static readonly layer = Layer.effect(
    ImageWorker,
    Effect.gen(function* () {
      const images = yield* Images
      const characters = yield* Characters
      const versions = yield* CharacterVersions
      const assets = yield* Assets
      const identities = yield* VisualIdentities
      const relationships = yield* Relationships
      const objects = yield* StoredObjects
      const signatures = yield* ContentSignatures
      const pictures = yield* Pictures
      const imageModel = yield* ImageModel
      const membership = yield* Membership
      const address = yield* PublicAddress
      const share = yield* makeSharedRuns(AT_ONCE)

      const briefOf = Effect.fnUntraced(function* (image: ClaimedImage) {
        const { appId, characterSlug: slug, sessionId } = image
        const stored = yield* characters.get(appId, slug)
        const character = yield* versions.get(appId, slug, stored?.version ?? 0)
        const identity = (yield* identities.get(appId, slug))?.identity
        const relationship = sessionId === null ? undefined : yield* relationships.stateOf({ appId, sessionId })
        const {
          appearance = "",
          style = "",
          negative = "",
          wardrobe = [],
          seed = null,
          reference_asset_ids = []
        } = identity ?? {}
        return {
          kind: image.kind as ImageKind,
          name: character.display_name,
          ageBand: character.safety.age_band,
          ...fillTexts({ appearance, style, negative, wardrobe }, (text) =>
            fillMacros(text, { character: character.display_name, user: null }, NOBODY.told)
          ),
          feeling:
            relationship === undefined
              ? null
              : (relationship.bearing.emotion?.label ?? character.baseline_emotion.label),
          prompt: image.prompt,
          seed,
          referenceIds: imageModel.takesReferences ? reference_asset_ids.slice(0, MAX_REFERENCES_SENT) : []
        }
      })
      type Brief = Effect.Success<ReturnType<typeof briefOf>>

      /** The reference pictures for the model. Those deleted in the meantime are left out. */
      const referencesOf = Effect.fnUntraced(function* (appId: string, ids: ReadonlyArray<string>) {
        const found = yield* Effect.forEach(
          ids,
          Effect.fnUntraced(function* (id) {
            const asset = yield* assets.find(appId, id)
            const bytes = asset === undefined ? null : yield* objects.get(asset.object_key)
            return asset === undefined || bytes === null
              ? []
              : [{ bytes, mediaType: asset.media_type } satisfies ReferencePicture]
          })
        )
        return found.flat()
      })

      const make = Effect.fnUntraced(function* (
        image: ClaimedImage,
        brief: Brief
      ): Effect.fn.Return<Outcome, DatabaseError> {
        const size = image.size as ImageSize
        const found = yield* Effect.result(referencesOf(image.appId, brief.referenceIds))
        if (Result.isFailure(found))
          return found.failure._tag === "DatabaseError" ? yield* found.failure : failed("storage_unavailable")
        const references = found.success
        if (!(yield* images.pay(image, imageModel.priceMicroUsd(size, references.length))))
          return failed("budget_exceeded")
        const seed = `${brief.seed ?? `${image.appId} ${image.characterSlug}`} ${image.kind} ${image.prompt ?? ""}`
        const painted = yield* Effect.result(
          imageModel.generate({
            prompt: imagePrompt(brief),
            size,
            name: brief.name,
            seed,
            modelSeed: brief.seed,
            references
          })
        )
        if (Result.isFailure(painted))
          return painted.failure.reason === "refused" ? blocked(painted.failure.code) : failed(painted.failure.code)
        const clean = yield* Effect.result(pictures.clean(painted.success))
        if (Result.isFailure(clean)) return failed("bad_image")
        const { bytes, mediaType, width, height } = clean.success
        const put = yield* Effect.result(objects.put(image.appId, bytes))
        if (Result.isFailure(put))
          return put.failure._tag === "StorageError" ? failed("storage_unavailable") : yield* put.failure
        return { status: "ready", errorCode: null, picture: { objectKey: put.success, mediaType, width, height } }
      })

      const describe = ({ kind, name, prompt }: Brief) => {
        const said = `${KIND_IN_WORDS[kind]} ${name}${prompt === null ? "" : `: ${prompt}`}`.slice(0, MAX_CHARACTERS)
        return isPlaceholder(imageModel)
          ? `A placeholder image, not a picture: no image model is configured. Requested: ${said}`
          : said
      }

      const unknownOf = (outcome: Outcome) => ({ outcome, description: "A picture that could not be made." })

      const crashed = Effect.succeed(unknownOf(failed("crashed")))

      const finish = Effect.fnUntraced(
        function* (image: ClaimedImage) {
          const { outcome, description } = yield* image.attempt > MAX_ATTEMPTS
            ? crashed
            : attempt(
                unitOf("image", image.appId, image.imageId),
                Effect.gen(function* () {
                  const brief = yield* briefOf(image)
                  return { outcome: yield* make(image, brief), description: describe(brief) }
                }),
                crashed
              ).pipe(
                Effect.catchDefect((defect) =>
                  Effect.as(
                    Effect.logError("image generation failed", { image_id: image.imageId, defect: String(defect) }),
                    unknownOf(failed("internal"))
                  )
                )
              )
          const url =
            `${yield* address.current}/v1/images/${image.imageId}/content?sig=` +
            `${signatures.sign(image.appId, image.imageId)}`
          // A failed picture has no URL for the log. The failure is visible on the image, its run and the trace.
          const event =
            image.sessionId === null || !image.deliver || outcome.status !== "ready"
              ? null
              : {
                  image_url: url,
                  servable: true,
                  image_request_id: image.imageId,
                  image_kind: image.kind,
                  visible_description: description,
                  caption: image.caption,
                  turn_id: image.turnRef
                }
          yield* images.end(image, {
            ...outcome,
            description,
            engine: imageModel.engine,
            model: imageModel.model,
            event
          })
        },
        (effect, image) => Effect.annotateLogs(effect, { image_id: image.imageId, run_ref: image.runRef })
      )

      const claim = (except: ReadonlyArray<string>) =>
        Effect.flatMap(membership.current, (owner) =>
          Option.isNone(owner) ? Effect.undefined : images.claim(owner.value, except)
        )
      return ImageWorker.of({ work: share(claim, finish) })
    })
  )
}

export const imagesTask = task(
  "images",
  ImageWorker.use((worker) => worker.work),
  { cron: "* * * * *" }
)
