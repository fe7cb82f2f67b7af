import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Photos, PhotosUnavailable } from "#channels/telegram/Photos.ts"
import { Images } from "#src/db/character/Images.ts"
import { StoredObjects } from "#src/db/character/StoredObjects.ts"

/** Reads the pictures that bots send from the storage. */
export const layer = Layer.effect(
  Photos,
  Effect.gen(function* () {
    const images = yield* Images
    const objects = yield* StoredObjects
    return Photos.of({
      read: Effect.fnUntraced(
        function* (appId: string, imageId: string) {
          const image = yield* images.get(appId, imageId)
          return image === undefined || image.object_key === null ? null : yield* objects.get(image.object_key)
        },
        Effect.mapError((cause) => new PhotosUnavailable({ cause }))
      )
    })
  })
)
