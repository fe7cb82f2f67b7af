import * as Effect from "effect/Effect"
import * as z from "zod"
import { Characters } from "#src/db/character/Characters.ts"
import { Imports, type StoredImport } from "#src/db/character/Imports.ts"
import { Npcs } from "#src/db/world/Npcs.ts"
import type { Bundle } from "#src/imports/Bundle.ts"
import { textOf } from "#src/imports/readJson.ts"
import { attachEvidence } from "#src/http/research/attachEvidence.ts"
import { attachPictures, type Prepared } from "./attachPictures.ts"
import { toCharacterResource } from "#src/http/character/characterResource.ts"
import { slugTaken, characterNotFound, worldLimitReached } from "#src/http/character/characterErrors.ts"
import { importHashMismatch, importNotReady, importNotFound } from "./importErrors.ts"
import { demoQuotaExceeded, validationError, versionConflict } from "#src/http/server/errors.ts"
import { profileFrom } from "./reviewBundle.ts"
import { NpcCreate } from "#src/http/world/npcSchemas.ts"
import { isSlug } from "#src/http/character/characterSchemas.ts"
import { quoteIssues } from "#src/http/server/body/validation.ts"

interface Commit {
  readonly content_hash: string
  readonly slug?: string | undefined
  readonly expected_version?: number | undefined
}

const checked = (bundle: Bundle, slug: string, present?: Readonly<Record<string, unknown>>) => {
  const parsed = profileFrom(bundle, slug, present)
  if (!parsed.success)
    return Effect.fail(validationError(`bundle.${quoteIssues(parsed.error.issues, "body").replace(/^body\.?/, "")}`))
  const { slug: _, ...profile } = parsed.data
  return Effect.succeed(profile)
}

const create = Effect.fnUntraced(function* (appId: string, slug: string, bundle: Bundle) {
  if (!isSlug(slug))
    return yield* validationError("body.slug: Invalid slug: expected 1 to 63 of a-z, 0-9 and -, not beginning with -")
  const profile = yield* checked(bundle, slug)
  yield* Characters.use((characters) => characters.create(appId, slug, profile)).pipe(
    Effect.catchTags({
      SlugTaken: ({ archivedAt }) => Effect.fail(slugTaken(slug, archivedAt).about("body.slug")),
      QuotaReached: () => Effect.fail(demoQuotaExceeded("characters"))
    })
  )
  return slug
})

const update = Effect.fnUntraced(function* (
  appId: string,
  slug: string,
  bundle: Bundle,
  expectedVersion: number | undefined
) {
  const character = yield* Characters.use((characters) =>
    characters.update(appId, slug, expectedVersion, (present) => checked(bundle, slug, present))
  ).pipe(Effect.catchTag("VersionConflict", ({ current }) => Effect.fail(versionConflict("character", current))))
  if (character === undefined) return yield* characterNotFound
  return slug
})

/** Creates the NPCs whose names the character does not have yet. */
const introduce = Effect.fnUntraced(function* (appId: string, slug: string, bundle: Bundle) {
  const npcs = yield* Npcs
  const of = { appId, slug }
  const known = new Set((yield* npcs.all(of)).map(({ name }) => name))
  for (const npc of z.array(NpcCreate).parse(bundle.npcs)) {
    if (known.has(npc.name)) continue
    yield* npcs.create(of, npc).pipe(
      Effect.catchTags({
        WorldLimitReached: ({ most }) =>
          Effect.fail(worldLimitReached(`The character has ${most} NPCs, which is the limit.`)),
        SessionGone: (gone) => Effect.die(gone)
      })
    )
  }
})

/** What is left out of the bundle for a key that may have no pictures. */
const withoutPictures = ({ assets, visual_identity }: Bundle) =>
  [...assets.map((_, index) => `assets[${index}]`), ...(visual_identity === null ? [] : ["visual_identity"])].map(
    (from) => ({ from, reason: "Characters of demo keys cannot have pictures." })
  )

/**
 * Turns a reviewed import into a character or a new version of one, with everything that belongs to it, in one
 * transaction. `pictures` were stored before it, and are null if the key may have none. `again`: the import was already
 * committed.
 */
export const commitImport = Effect.fnUntraced(function* (
  appId: string,
  importId: string,
  { content_hash, slug, expected_version }: Commit,
  pictures: Prepared | null
) {
  let again = false
  const write = Effect.fnUntraced(function* ({
    status,
    mode,
    bundle,
    content_hash: hash,
    target_slug,
    character_slug
  }: StoredImport) {
    if (content_hash !== hash || bundle === null) return yield* importHashMismatch.about("body.content_hash")
    again = character_slug !== null
    if (again) return null
    if (status !== "ready") return yield* importNotReady
    const written =
      mode === "update"
        ? yield* update(appId, target_slug ?? "", bundle, expected_version)
        : yield* create(appId, slug ?? textOf(bundle.character["slug"]), bundle)
    yield* introduce(appId, written, bundle)
    yield* attachEvidence(appId, written, bundle)
    return {
      slug: written,
      dropped: pictures === null ? withoutPictures(bundle) : yield* attachPictures(appId, written, bundle, pictures)
    }
  })
  const stored = yield* Imports.use((imports) => imports.commit(appId, importId, write))
  const made = stored?.character_slug
  const character =
    made === undefined || made === null ? undefined : yield* Characters.use((characters) => characters.get(appId, made))
  if (stored === undefined || character === undefined) return yield* importNotFound
  return { stored, character: toCharacterResource(character), again }
})
