import * as Effect from "effect/Effect"
import { type Asset, Assets, MAX_ASSETS } from "#src/db/character/Assets.ts"
import type { StoredCharacter } from "#src/db/character/Characters.ts"
import { Evidence, sha256Of, type StoredEvidence } from "#src/db/research/Evidence.ts"
import { Imports } from "#src/db/character/Imports.ts"
import { Npcs } from "#src/db/world/Npcs.ts"
import { StoredObjects } from "#src/db/character/StoredObjects.ts"
import { VisualIdentities } from "#src/db/character/VisualIdentities.ts"
import { MAX_IMAGES } from "#src/imports/Assets.ts"
import { type AssetMeta, type Bundle, MAX_EVIDENCE } from "#src/imports/Bundle.ts"
import { MAX_IMAGE_BYTES } from "#src/imports/checkImage.ts"
import { storageUnavailable } from "#src/http/server/errors.ts"

/** Limit for all pictures in a file: in base64 and with the rest, it is within the limit of an import. */
const MAX_BYTES = 6 * 1024 * 1024
/** How much evidence to consider. */
const MAX_READ = 200
/** Limit for the evidence in a file, in characters: with the rest, it is within the limit of an import. */
const MAX_CHARACTERS = 400_000

/** As many pictures as an import accepts, main pictures first. */
const takenAlong = (assets: ReadonlyArray<Asset>): ReadonlyArray<Asset> => {
  let bytes = 0
  return assets
    .toSorted((a, b) => Number(b.is_primary) - Number(a.is_primary) || (a.asset_id < b.asset_id ? -1 : 1))
    .filter(({ size_bytes: size }) => {
      const fits = size <= MAX_IMAGE_BYTES && bytes + size <= MAX_BYTES
      if (fits) bytes += size
      return fits
    })
    .slice(0, MAX_IMAGES)
}

const told = ({ kind, text, source, trust, status }: StoredEvidence) => ({
  kind,
  text,
  trust,
  ...(status === "disputed" && { status }),
  source: Object.fromEntries(
    Object.entries(source).filter(([name, value]) => value !== null && !(name === "sha256" && value === sha256Of(text)))
  )
})

/**
 * The evidence that an author would share: nothing that an end-user said, and no findings of runs that were not
 * accepted.
 */
const evidenceOf = Effect.fnUntraced(function* (appId: string, slug: string) {
  const rows = yield* Evidence.use((evidence) =>
    evidence.list({ appId, slug }, { status: null, kind: null, before: null, limit: MAX_READ })
  )
  let characters = 0
  return rows
    .filter(({ status, session_id, research_id, used_by, text }) => {
      const is =
        status !== "retracted" &&
        session_id === null &&
        (research_id === null || used_by.length > 0) &&
        characters + text.length <= MAX_CHARACTERS
      if (is) characters += text.length
      return is
    })
    .slice(0, MAX_EVIDENCE)
    .toReversed()
    .map(told)
})

/**
 * Everything about a character that a file can contain, except its profile. The contents of its pictures are keyed by
 * SHA-256.
 */
export const collectCharacterExport = Effect.fnUntraced(function* (
  appId: string,
  { slug, import_id: importId }: StoredCharacter
) {
  const came = importId === null ? undefined : yield* Imports.use((imports) => imports.get(appId, importId))
  const npcs = (yield* Npcs.use((table) => table.all({ appId, slug }))).map(
    ({ name, role, summary, aliases, linked_slug, mention_policy }) => ({
      name,
      role,
      summary,
      aliases,
      linked_slug,
      mention_policy
    })
  )
  const looks = yield* VisualIdentities.use((identities) => identities.get(appId, slug))
  const { reference_asset_ids: references = [], ...identity } = looks?.identity ?? {}
  const images = new Map<string, Uint8Array>()
  const assets: Array<AssetMeta> = []
  for (const asset of takenAlong(
    yield* Assets.use((table) => table.list(appId, slug, { kind: null, before: null, limit: MAX_ASSETS }))
  )) {
    const { sha256, kind, label, media_type: mime, width, height, size_bytes: bytes, is_primary, asset_id: id } = asset
    const content = yield* StoredObjects.use((objects) => objects.get(asset.object_key)).pipe(
      Effect.catchTag("StorageError", () => Effect.fail(storageUnavailable))
    )
    if (content === null) continue
    images.set(sha256, content)
    assets.push({
      kind,
      label,
      mime: mime as AssetMeta["mime"],
      width,
      height,
      bytes,
      sha256,
      is_primary,
      is_reference: references.includes(id)
    })
  }
  const whole: Omit<Bundle, "character" | "lore"> = {
    npcs,
    assets,
    evidence: yield* evidenceOf(appId, slug),
    visual_identity: looks === undefined ? null : identity,
    extra: came?.bundle?.extra ?? {}
  }
  return { whole, images }
})
