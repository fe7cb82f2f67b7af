import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Assets } from "#src/db/character/Assets.ts"
import { ContentSignatures } from "#src/db/character/ContentSignatures.ts"
import { Expenses } from "#src/db/billing/Expenses.ts"
import { Images } from "#src/db/character/Images.ts"
import { StoredObjects } from "#src/db/character/StoredObjects.ts"
import { VisualIdentities } from "#src/db/character/VisualIdentities.ts"
import { Pictures } from "#src/pictures/Pictures.ts"
import * as inDatabase from "#src/storage/inDatabase.ts"
import * as inFolder from "#src/storage/inFolder.ts"
import { Settings } from "#src/settings/Settings.ts"

/** Where pictures lie. The client of S3 is loaded only when it is the one. */
const storage = Layer.unwrap(
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

/** The pictures of characters, and what is in the storage for them. */
export const assets = Layer.mergeAll(
  Assets.layer,
  VisualIdentities.layer,
  ContentSignatures.layer,
  Images.layer.pipe(Layer.provideMerge(Expenses.layer))
).pipe(Layer.provideMerge(StoredObjects.layer), Layer.provideMerge(Layer.merge(storage, Pictures.layer)))
