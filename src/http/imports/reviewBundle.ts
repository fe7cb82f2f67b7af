import type { StoredImport } from "#src/db/character/Imports.ts"
import { type Bundle, profileOf, splitProfile, textLengthOf } from "#src/imports/Bundle.ts"
import { type Fields, fieldsOf, textOf } from "#src/imports/readJson.ts"
import { type Finding, finding, type ReportData } from "#src/imports/Report.ts"
import { scanContent } from "#src/imports/scanContent.ts"
import { slugify } from "#src/imports/slugify.ts"
import { MAX_CHARACTERS, tooMuchText } from "#src/imports/Text.ts"
import { ignoredFields } from "#src/http/server/body/ignoredFields.ts"
import { jsonPath } from "#src/http/server/body/jsonPath.ts"
import { CharacterCreate } from "#src/http/character/characterSchemas.ts"
import { BundleRest } from "./importSchemas.ts"
import { type Issue, unfold } from "#src/http/server/body/validation.ts"

/** Findings about the bundle. They are recomputed at each review. */
const OF_THE_BUNDLE: ReadonlySet<string> = new Set([
  "instruction_text",
  "minor_romance",
  "minor_signals",
  "explicit_content",
  "bundle_invalid"
])
const MAX_ISSUES = 50

const placed = (path: string): string => path.replace(/^character\.world_context\.entries(?=\[)/, "lore")
const invalid = (issues: ReadonlyArray<Issue>, root: string): ReadonlyArray<Finding> =>
  issues
    .flatMap(unfold)
    .slice(0, MAX_ISSUES)
    .map((issue) => finding("bundle_invalid", "blocker", placed(jsonPath(issue.path, root)), issue.message))

interface Checked {
  readonly bundle: Bundle
  readonly blockers: ReadonlyArray<Finding>
  readonly dropped: ReportData["dropped"]
}

/** Checks the fields that are present. Missing ones are not filled in. */
const checkProfile = (bundle: Bundle, mode: StoredImport["mode"]): Checked => {
  const given = { ...bundle.character, ...profileOf(bundle) }
  const whole = {
    ...(mode === "update" && { display_name: "-", slug: "-" }),
    ...given,
    slug: mode === "update" ? "updated" : (given["slug"] ?? slugify(textOf(given["display_name"])))
  }
  const parsed = CharacterCreate.safeParse(whole)
  if (!parsed.success) return { bundle, blockers: invalid(parsed.error.issues, "character"), dropped: [] }
  const ignored = ignoredFields(whole, parsed.data).map((path) => ({
    from: placed(`character.${path}`),
    reason: "Characters do not have this field."
  }))
  const kept = Object.fromEntries(
    Object.entries(parsed.data).filter(
      ([key, value]) => value !== undefined && (mode === "create" || (key in given && key !== "slug"))
    )
  )
  return { bundle: { ...bundle, ...splitProfile(kept) }, blockers: [], dropped: ignored }
}

const checkRest = (bundle: Bundle): Checked => {
  const { npcs, evidence, visual_identity } = bundle
  const parsed = BundleRest.safeParse({ npcs, evidence, visual_identity })
  if (!parsed.success) return { bundle, blockers: invalid(parsed.error.issues, ""), dropped: [] }
  const ignored = ignoredFields({ npcs, evidence, visual_identity }, parsed.data).map((path) => ({
    from: path,
    reason: "Unknown field."
  }))
  return { bundle: { ...bundle, ...parsed.data }, blockers: [], dropped: ignored }
}

/** Explicit content sets the content rating, unless a reviewer has set one. */
const rated = (bundle: Bundle, found: ReadonlyArray<Finding>): Bundle => {
  const safety = fieldsOf(bundle.character["safety"])
  if (safety["content_rating"] !== undefined || !found.some(({ code }) => code === "explicit_content")) return bundle
  return { ...bundle, character: { ...bundle.character, safety: { ...safety, content_rating: "mature" } } }
}

/** Whether anything still has to be reviewed. */
const statusOf = ({ warnings, blockers }: ReportData, accepted: ReadonlyArray<string>) =>
  blockers.length === 0 && warnings.every(({ code, severity }) => severity === "info" || accepted.includes(code))
    ? ("ready" as const)
    : ("needs_review" as const)

/**
 * Validates a bundle, finds content that needs review, and tells whether that was accepted. Throws an ImportRefused.
 */
export const reviewBundle = async (
  given: Bundle,
  report: ReportData,
  mode: StoredImport["mode"],
  accepted: ReadonlyArray<string>
) => {
  if (textLengthOf(given) > MAX_CHARACTERS) throw tooMuchText
  const profile = checkProfile(given, mode)
  const { bundle: checked, blockers, dropped } = checkRest(profile.bundle)
  const found = await scanContent(checked)
  const bundle: Bundle = JSON.parse(JSON.stringify(rated(checked, found)))
  const kept = (list: ReadonlyArray<Finding>) => list.filter(({ code }) => !OF_THE_BUNDLE.has(code))
  const next: ReportData = {
    ...report,
    dropped: [
      ...report.dropped,
      ...[...profile.dropped, ...dropped].filter(({ from }) => !report.dropped.some((known) => known.from === from))
    ],
    warnings: [...kept(report.warnings), ...found.filter(({ severity }) => severity !== "blocker")],
    blockers: [
      ...kept(report.blockers),
      ...profile.blockers,
      ...blockers,
      ...found.filter(({ severity }) => severity === "blocker")
    ]
  }
  return { bundle, report: next, status: statusOf(next, accepted) }
}

/** The profile that an import results in, merged over the present one if there is one, or what is wrong with it. */
export const profileFrom = (bundle: Bundle, slug: string, present: Fields | undefined) =>
  CharacterCreate.safeParse({ slug, ...profileOf(bundle, present) })
