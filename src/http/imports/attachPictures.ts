import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { Assets, MAX_ASSETS, type PreparedPicture } from "#src/db/character/Assets.ts"
import { Imports, type StoredImport } from "#src/db/character/Imports.ts"
import { NO_LOOKS, VisualIdentities } from "#src/db/character/VisualIdentities.ts"
import type { Bundle } from "#src/imports/Bundle.ts"
import { importHashMismatch } from "./importErrors.ts"
import { assetLimitReached } from "#src/http/character/pictureErrors.ts"
import { storageUnavailable } from "#src/http/server/errors.ts"
import { BundleVisualIdentity, MAX_REFERENCES } from "#src/http/character/assetSchemas.ts"

/** For each asset of a bundle, in order: a stored picture, or why it was not accepted. */
export type Prepared = ReadonlyArray<PreparedPicture | string>

/**
 * Limits the pictures of imports that are in memory on their way to the storage. More than one, so that a slow upload
 * does not block all others.
 */
const onTheWay = Semaphore.makeUnsafe(4)

/**
 * Stores the pictures of an import before the transaction that attaches them to the character. If that transaction does
 * not use them or the process dies, nobody ever sees them.
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
 * Makes the pictures assets of the character, except those that it already has, and fills missing parts of its visual
 * identity. Returns the ones that were not accepted.
 */
export const attachPictures = Effect.fnUntraced(function* (
  appId: string,
  slug: string,
  bundle: Bundle,
  prepared: Prepared
) {
  const assets = yield* Assets
  const identities = yield* VisualIdentities
  const present = yield* assets.list(appId, slug, { kind: null, before: null, limit: MAX_ASSETS })
  const dropped: Array<{ readonly from: string; readonly reason: string }> = []
  const references: Array<string> = []
  for (const [
    index,
    { kind, label, sha256, is_primary: isPrimary, is_reference: isReference }
  ] of bundle.assets.entries()) {
    const picture = prepared[index]
    // When the pictures were stored, the import was a different one or was not ready.
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
        .pipe(Effect.catchTag("TooManyAssets", () => Effect.fail(assetLimitReached(MAX_ASSETS)))))
    if (known !== undefined && isPrimary && !known.is_primary)
      yield* assets.change(appId, slug, id, { is_primary: true })
    if (isReference) references.push(id)
  }
  if (bundle.visual_identity === null && references.length === 0) return dropped
  const { identity } = (yield* identities.get(appId, slug)) ?? { identity: NO_LOOKS }
  const told = Object.fromEntries(
    Object.entries(BundleVisualIdentity.parse(bundle.visual_identity ?? {})).filter(([, value]) => value !== undefined)
  )
  const ids = [...new Set([...references, ...identity.reference_asset_ids])].slice(0, MAX_REFERENCES)
  yield* identities.put(appId, slug, { ...identity, ...told, reference_asset_ids: ids })
  return dropped
})
