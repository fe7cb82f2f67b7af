import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import { fillTexts, NOBODY } from "#pipeline/domain/macros.ts"
import type { ImageKind } from "#pipeline/safety/pictures.ts"
import { Characters } from "#src/db/Characters.ts"
import { CharacterVersions } from "#src/db/CharacterVersions.ts"
import { ContentSignatures } from "#src/db/ContentSignatures.ts"
import type { DatabaseError } from "#src/db/Database.ts"
import { type Ending, Images } from "#src/db/Images.ts"
import { type ClaimedImage, MOST_ATTEMPTS } from "#src/db/imageStatements.ts"
import { Relationships } from "#src/db/Relationships.ts"
import { StoredObjects } from "#src/db/StoredObjects.ts"
import { VisualIdentities } from "#src/db/VisualIdentities.ts"
import { type ImageSize, isPlaceholder, Painter } from "#src/model/Painter.ts"
import { paintPrompt } from "#src/model/paintPrompt.ts"
import { Pictures } from "#src/pictures/Pictures.ts"
import { Membership } from "../Membership.ts"
import { PublicAddress } from "../PublicAddress.ts"

/** Pictures made at once by one process. */
const AT_ONCE = 6

type Outcome = Pick<Ending, "status" | "errorCode" | "picture">
const failed = (errorCode: string): Outcome => ({ status: "failed", errorCode, picture: null })
const blocked = (errorCode: string): Outcome => ({ status: "blocked", errorCode, picture: null })

const KIND_IN_WORDS: Readonly<Record<ImageKind, string>> = { selfie: "A selfie of", scene: "A scene of", avatar: "A portrait of", expression: "The face of" }
/** Of a description of what is to be seen. */
const MOST_CHARACTERS = 400

/**
 * Makes the pictures that are asked for, one after another. Each is taken from the table, so that one whose maker dies is begun again by another;
 * what was taken for one that comes to nothing is given back.
 */
export class Studio extends Context.Service<Studio, {
  /** Makes what waits, until nothing does. */
  readonly work: Effect.Effect<void, DatabaseError>
}>()("src/jobs/images/Studio") {
  static readonly layer = Layer.effect(Studio, Effect.gen(function*() {
    const images = yield* Images
    const characters = yield* Characters
    const versions = yield* CharacterVersions
    const identities = yield* VisualIdentities
    const relationships = yield* Relationships
    const objects = yield* StoredObjects
    const signatures = yield* ContentSignatures
    const pictures = yield* Pictures
    const painter = yield* Painter
    const membership = yield* Membership
    const address = yield* PublicAddress
    const places = yield* Semaphore.make(AT_ONCE)

    const briefOf = Effect.fnUntraced(function*(image: ClaimedImage) {
      const { app_id: appId, character_slug: slug, session_id: sessionId } = image
      const stored = yield* characters.get(appId, slug)
      const character = yield* versions.get(appId, slug, stored?.version ?? 0)
      const identity = (yield* identities.get(appId, slug))?.identity
      const relationship = sessionId === null ? undefined : yield* relationships.standing({ appId, sessionId })
      const { appearance = "", style = "", negative = "", wardrobe = [] } = identity ?? {}
      return {
        kind: image.kind as ImageKind,
        name: character.display_name,
        ageBand: character.safety.age_band,
        ...fillTexts({ appearance, style, negative, wardrobe }, { character: character.display_name, user: null }, NOBODY.told),
        feeling: relationship === undefined ? null : relationship.bearing.emotion?.label ?? character.baseline_emotion.label,
        prompt: image.prompt
      }
    })
    type Brief = Effect.Success<ReturnType<typeof briefOf>>

    const make = Effect.fnUntraced(function*(image: ClaimedImage, brief: Brief): Effect.fn.Return<Outcome, DatabaseError> {
      const size = image.size as ImageSize
      if (!(yield* images.pay(image, painter.priceMicroUsd(size)))) return failed("budget_exceeded")
      const painted = yield* Effect.result(painter.paint({ prompt: paintPrompt(brief), size, name: brief.name, seed: `${image.app_id} ${image.character_slug} ${image.kind} ${image.prompt ?? ""}` }))
      if (Result.isFailure(painted)) return painted.failure.reason === "refused" ? blocked(painted.failure.code) : failed(painted.failure.code)
      const clean = yield* Effect.result(pictures.clean(painted.success))
      if (Result.isFailure(clean)) return failed("bad_image")
      const { bytes, mediaType, width, height } = clean.success
      const put = yield* Effect.result(objects.put(image.app_id, bytes))
      if (Result.isFailure(put)) return put.failure._tag === "StorageError" ? failed("storage_unavailable") : yield* put.failure
      return { status: "ready", errorCode: null, picture: { objectKey: put.success, mediaType, width, height } }
    })

    const describe = ({ kind, name, prompt }: Brief) => {
      const said = `${KIND_IN_WORDS[kind]} ${name}${prompt === null ? "" : `: ${prompt}`}`.slice(0, MOST_CHARACTERS)
      return isPlaceholder(painter) ? `A placeholder image, not a picture: no model for pictures is set up. Meant to be: ${said}` : said
    }

    const unknownOf = (outcome: Outcome) => ({ outcome, description: "A picture that could not be made." })

    /** A reply that asked for a picture it may not have goes without it, and nobody is told. */
    const isSilent = ({ turn_ref }: ClaimedImage, { errorCode }: Outcome) => turn_ref !== null && errorCode === "budget_exceeded"

    const finish = Effect.fnUntraced(function*(image: ClaimedImage) {
      const { outcome, description } = yield* (image.attempt > MOST_ATTEMPTS ? Effect.succeed(unknownOf(failed("crashed"))) : Effect.gen(function*() {
        const brief = yield* briefOf(image)
        return { outcome: yield* make(image, brief), description: describe(brief) }
      }).pipe(Effect.catchDefect((defect) => Effect.as(Effect.logError("a picture failed", { image_id: image.image_id, defect: String(defect) }), unknownOf(failed("internal"))))))
      const url = `${yield* address.current}/v1/images/${image.image_id}/content?sig=${signatures.sign(image.app_id, image.image_id)}`
      const event = image.session_id === null || !image.deliver || isSilent(image, outcome) ? null : {
        image_url: url, servable: outcome.status === "ready", image_request_id: image.image_id, image_kind: image.kind, visible_description: description, caption: image.caption, turn_id: image.turn_ref
      }
      yield* images.end(image, { ...outcome, description, engine: painter.engine, model: painter.model, event })
    }, (effect, image) => Effect.annotateLogs(effect, { image_id: image.image_id, run_ref: image.run_ref }))

    const next = places.withPermits(1)(Effect.gen(function*() {
      const owner = yield* membership.current
      const image = Option.isNone(owner) ? undefined : yield* images.claim(owner.value)
      if (image === undefined) return false
      yield* finish(image)
      return true
    }))

    return Studio.of({ work: Effect.asVoid(Effect.repeat(next, { while: (more) => more })) })
  }))
}
