import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { Assets, MOST_ASSETS, type PreparedPicture } from "#src/db/character/Assets.ts"
import { Imports, type StoredImport } from "#src/db/character/Imports.ts"
import { NO_LOOKS, VisualIdentities } from "#src/db/character/VisualIdentities.ts"
import type { Bundle } from "#src/imports/Bundle.ts"
import { importHashMismatch } from "./importErrors.ts"
import { assetLimitReached } from "#src/http/character/pictureErrors.ts"
import { storageUnavailable } from "#src/http/server/errors.ts"
import { LooksBrought, MOST_REFERENCES } from "#src/http/character/assetSchemas.ts"

/** Of each of a bundle's assets, in their order: a picture that is in the storage, or why it is none that is taken. */
export type Prepared = ReadonlyArray<PreparedPicture | string>

/**
 * Pictures of imports that are in memory on their way to the storage: one that is slow must not keep all others from
 * theirs.
 */
const onTheWay = Semaphore.makeUnsafe(4)

/**
 * Puts the pictures of an import away, before the transaction that makes them the character's: what that does not keep,
 * or who dies in between, leaves nothing that anybody sees.
 */
export const preparePictures = Effect.fnUntraced(function* (
  appId: string,
  { import_id: importId, bundle }: StoredImport
) {
  if (bundle === null || bundle.assets.length === 0) return []
  const assets = yield* Assets
  const imports = yield* Imports
  return yield* Effect.forEach(bundle.assets, ({ sha256 }) =>
    onTheWay.withPermits(1)(
      Effect.gen(function* () {
        const image = yield* imports.image(appId, importId, sha256)
        return yield* assets.prepare(appId, image ?? new Uint8Array()).pipe(
          Effect.catchTags({
            PictureRefused: ({ problem }) => Effect.succeed(problem),
            StorageError: () => Effect.fail(storageUnavailable)
          })
        )
      })
    )
  )
})

/**
 * Makes them assets of the character, but for those that it has, and tells what it looks like beside what is told
 * already. Gives what could not be taken.
 */
export const bringPictures = Effect.fnUntraced(function* (
  appId: string,
  slug: string,
  bundle: Bundle,
  prepared: Prepared
) {
  const assets = yield* Assets
  const identities = yield* VisualIdentities
  const present = yield* assets.list(appId, slug, { kind: null, before: null, limit: MOST_ASSETS })
  const dropped: Array<{ readonly from: string; readonly reason: string }> = []
  const references: Array<string> = []
  for (const [
    index,
    { kind, label, sha256, is_primary: isPrimary, is_reference: isReference }
  ] of bundle.assets.entries()) {
    const picture = prepared[index]
    // It was another import, or was not ready, when its pictures would have been put away.
    if (picture === undefined) return yield* importHashMismatch
    if (typeof picture === "string") {
      dropped.push({ from: `assets[${index}]`, reason: picture })
      continue
    }
    const known = present.find(
      (asset) =>
        asset.kind === kind && asset.label === label && (asset.sha256 === sha256 || asset.sha256 === picture.sha256)
    )
    const { asset_id: id } =
      known ??
      (yield* assets
        .create(appId, slug, { kind, label, isPrimary }, picture)
        .pipe(Effect.catchTag("TooManyAssets", () => Effect.fail(assetLimitReached(MOST_ASSETS)))))
    if (known !== undefined && isPrimary && !known.is_primary)
      yield* assets.change(appId, slug, id, { is_primary: true })
    if (isReference) references.push(id)
  }
  if (bundle.visual_identity === null && references.length === 0) return dropped
  const { identity } = (yield* identities.get(appId, slug)) ?? { identity: NO_LOOKS }
  const told = Object.fromEntries(
    Object.entries(LooksBrought.parse(bundle.visual_identity ?? {})).filter(([, value]) => value !== undefined)
  )
  const ids = [...new Set([...references, ...identity.reference_asset_ids])].slice(0, MOST_REFERENCES)
  yield* identities.put(appId, slug, { ...identity, ...told, reference_asset_ids: ids })
  return dropped
})
