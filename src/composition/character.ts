import * as Layer from "effect/Layer"
import { Expenses } from "#src/db/billing/Expenses.ts"
import { Assets } from "#src/db/character/Assets.ts"
import { ContentSignatures } from "#src/db/character/ContentSignatures.ts"
import { Images } from "#src/db/character/Images.ts"
import * as PostgresLoreRecord from "#src/db/character/PostgresLoreRecord.ts"
import { StoredObjects } from "#src/db/character/StoredObjects.ts"
import { VisualIdentities } from "#src/db/character/VisualIdentities.ts"
import { ImageWorker } from "#src/jobs/character/ImageWorker.ts"
import { Pictures } from "#src/pictures/Pictures.ts"
import { storage } from "./storage.ts"

/** Pictures of characters and their stored objects. */
export const pictures = Layer.mergeAll(
  Assets.layer,
  VisualIdentities.layer,
  ContentSignatures.layer,
  Images.layer.pipe(Layer.provideMerge(Expenses.layer))
).pipe(Layer.provideMerge(StoredObjects.layer), Layer.provideMerge(Layer.merge(storage, Pictures.layer)))

/** Services that turns read from. */
export const stores = PostgresLoreRecord.layer

/** Services that jobs use. */
export const working = ImageWorker.layer
