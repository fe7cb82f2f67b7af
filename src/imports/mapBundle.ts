import type { Assets, AssetSource } from "./Assets.ts"
import { type Bundle, PICTURE_KINDS, splitProfile } from "./Bundle.ts"
import { MAX_IMAGE_BYTES } from "./checkImage.ts"
import { type Fields, fieldsOf, isRecord, listOf, textOf } from "./readJson.ts"
import type { Report } from "./Report.ts"

const PARTS: ReadonlySet<string> = new Set(["character", "npcs", "lore", "evidence", "visual_identity", "extra"])

/** Imports a bundle that was exported here. Its content is checked like a request of an app. */
export const mapBundle = async (file: Fields, assets: Assets, source: AssetSource, report: Report): Promise<Bundle> => {
  const { character, lore } = splitProfile(fieldsOf(file["character"]))
  const own = listOf(file["lore"]).filter(isRecord)
  for (const name of Object.keys(file)) {
    if (PARTS.has(name)) report.mapped(name, name)
    else if (name !== "assets" && name !== "schema") report.dropped(name, "Bundles do not have this part.")
  }
  for (const [index, asset] of listOf(file["assets"]).filter(isRecord).entries()) {
    const path = `assets[${index}]`
    const content = textOf(asset["content_base64"])
    if (!assets.mayOpen(path, content === "" ? textOf(asset["path"]) : undefined)) continue
    const kind = PICTURE_KINDS.find((known) => known === asset["kind"])
    if (kind === undefined) {
      report.dropped(path, `The kind of an asset must be one of ${PICTURE_KINDS.join(", ")}.`)
      continue
    }
    const bytes =
      content !== "" ? Buffer.from(content, "base64") : await source.read(textOf(asset["path"]), MAX_IMAGE_BYTES)
    if (bytes === undefined)
      report.warn("asset_missing", path, "The picture is missing from the file, or too large.", textOf(asset["path"]))
    else
      await assets.take(kind, textOf(asset["label"]), bytes, path, {
        ...(typeof asset["is_primary"] === "boolean" && { isPrimary: asset["is_primary"] }),
        isReference: asset["is_reference"] === true
      })
  }
  return {
    character,
    lore: own.length > 0 ? own : lore,
    npcs: listOf(file["npcs"]),
    assets: assets.found,
    evidence: listOf(file["evidence"]).filter(isRecord),
    visual_identity: isRecord(file["visual_identity"]) ? file["visual_identity"] : null,
    extra: fieldsOf(file["extra"])
  }
}
