import * as z from "zod"
import { acrossFields } from "#src/http/server/schemas/acrossFields.ts"
import { MAX_EVIDENCE } from "#src/imports/Bundle.ts"
import { FORMATS } from "#src/imports/formats.ts"
import { CharacterData } from "#src/http/character/characterData.ts"
import { BundleVisualIdentity } from "#src/http/character/assetSchemas.ts"
import { BundleEvidence } from "#src/http/research/evidenceSchemas.ts"
import { NpcCreate } from "#src/http/world/npcSchemas.ts"
import { expectedVersion } from "#src/http/server/schemas/number.ts"
import { text, texts } from "#src/http/server/schemas/text.ts"

const formats = ["auto", ...FORMATS] as const
const slug = () => z.string().min(1).max(63)
const hash = () => z.string().max(128).meta({ description: "content_hash of the import as reviewed" })

/** Base64 of the largest file, with room for line breaks. */
const LONGEST_BASE64 = 14 * 1024 * 1024

export const ImportCreate = z
  .object({
    format: z
      .enum(formats)
      .default("auto")
      .meta({ description: "Required format of the file. auto: any known format" }),
    json: z.record(z.string(), z.unknown()).optional().meta({ description: "The JSON of the file" }),
    content_base64: z
      .string()
      .max(LONGEST_BASE64)
      .optional()
      .meta({ description: "The file in base64: JSON, YAML, a picture or an archive, at most 10 MiB" }),
    filename: text(0, 200).default(""),
    mode: z
      .enum(["create", "update"])
      .default("create")
      .meta({ description: "update: change the character target_slug" }),
    target_slug: slug().optional().meta({
      description: "Slug of the character to update, or of the new one (default: made from its name)"
    })
  })
  .superRefine(({ json, content_base64, mode, target_slug }, context) => {
    if ((json === undefined) === (content_base64 === undefined))
      context.addIssue({ code: "custom", path: ["content_base64"], message: "Required: either json or content_base64" })
    if (mode === "update" && target_slug === undefined)
      context.addIssue({ code: "custom", path: ["target_slug"], message: "Required with mode: update" })
  }, acrossFields)
  .meta({ oneOf: [{ required: ["json"] }, { required: ["content_base64"] }] })

export const ImportPatch = z.object({
  set: z
    .record(z.string(), z.unknown())
    .refine((set) => Object.keys(set).length <= 100, "Too big: expected at most 100 paths")
    .optional()
    .meta({
      description: "New values, by path in the bundle",
      examples: [{ "character.display_name": "Mara", "character.visible_bio": "Mends clocks." }]
    }),
  drop: texts(100, 400)
    .optional()
    .meta({ description: "Paths in the bundle to remove, or paths of findings that are resolved" }),
  accept_warnings: texts(100, 80).optional().meta({ description: "Codes of the warnings to accept" })
})

export const ImportCommit = z.object({
  content_hash: hash(),
  slug: slug().optional().meta({ description: "For mode: create. Replaces the slug of the bundle" }),
  expected_version: expectedVersion()
})

/** The parts of a bundle apart from the profile and its lore. */
export const BundleRest = z.object({
  npcs: z.array(NpcCreate).max(200),
  evidence: z.array(BundleEvidence).max(MAX_EVIDENCE),
  visual_identity: BundleVisualIdentity.nullable()
})

const time = z.iso.datetime()
const findings = z.array(
  z.object({
    code: z.string(),
    severity: z.enum(["info", "warning", "blocker"]),
    path: z.string(),
    message: z.string(),
    excerpt: z.string()
  })
)
const report = z.object({
  mapped: z.array(z.object({ from: z.string(), to: z.string() })),
  dropped: z.array(z.object({ from: z.string(), reason: z.string() })),
  warnings: findings.describe("An import with an unaccepted warning needs review. info does not"),
  blockers: findings.describe("Must be fixed with PATCH before a commit"),
  proposals: z
    .array(z.object({ path: z.string(), value: z.unknown(), from: z.string() }))
    .describe("Changes that the file suggests, which are not applied")
})
const bundle = z.object({
  character: z.record(z.string(), z.unknown()),
  npcs: z.array(z.unknown()),
  lore: z.array(z.unknown()),
  assets: z.array(
    z.object({
      kind: z.string(),
      label: z.string(),
      mime: z.string(),
      width: z.int(),
      height: z.int(),
      bytes: z.int(),
      sha256: z.string(),
      is_primary: z.boolean(),
      is_reference: z.boolean()
    })
  ),
  evidence: z.array(z.unknown()),
  visual_identity: z.record(z.string(), z.unknown()).nullable(),
  extra: z
    .record(z.string(), z.unknown())
    .describe("Unused content: provenance, unknown fields, quarantined instructions. An export includes it")
})

const summary = z.object({
  id: z.string(),
  status: z.enum(["needs_review", "ready", "committed", "discarded", "expired"]),
  mode: z.enum(["create", "update"]),
  target_slug: z.string().nullable(),
  format_detected: z.enum(FORMATS),
  filename: z.string(),
  content_hash: z.string().nullable().describe("SHA-256 of the bundle. null when the content has been deleted"),
  character_slug: z.string().nullable().describe("The character that was created or changed"),
  created_at: time,
  updated_at: time,
  expires_at: time,
  committed_at: time.nullable()
})
export const ImportData = summary.extend({
  bundle: bundle.nullable(),
  report,
  accepted_warnings: z.array(z.string()),
  target_version: z
    .int()
    .nullable()
    .describe("The version that diff compares with. It is the expected_version of a commit"),
  diff: z
    .array(z.object({ path: z.string(), before: z.unknown(), after: z.unknown() }))
    .describe("With mode: update: what a commit changes")
})
export const ImportPage = z.object({ imports: z.array(summary), next_cursor: z.string().nullable() })
export const ImportCommitted = summary.extend({
  character: CharacterData,
  dropped: report.shape.dropped.describe("What the file contains that is not in the character, and why")
})
