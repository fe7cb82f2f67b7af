import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as inDatabase from "#src/storage/inDatabase.ts"
import * as inFolder from "#src/storage/inFolder.ts"
import { Settings } from "#src/settings/Settings.ts"

/** Where pictures are stored. The S3 client is loaded only if it is used. */
export const storage = Layer.unwrap(
  Effect.gen(function* () {
    const { storage } = yield* Settings
    switch (storage.kind) {
      case "database":
        return inDatabase.layer
      case "folder":
        return inFolder.layer(storage.folder)
      case "s3":
        return (yield* Effect.promise(() => import("#src/storage/inS3.ts"))).layer(storage)
    }
  })
)
