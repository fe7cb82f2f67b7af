import { ZipFile } from "yazl"
import { EXTENSIONS } from "./Bundle.ts"
import { type Fields, isRecord, listOf, textOf } from "./readJson.ts"

/** The same date for every entry, so that the same bundle gives the same file. */
const MOMENT = new Date(Date.UTC(1980, 0, 1))

/** A bundle with its images, as an archive. */
export const bundleZip = async (bundle: Fields, images: ReadonlyMap<string, Uint8Array>): Promise<Buffer> => {
  const zip = new ZipFile()
  const listed = listOf(bundle["assets"]).filter(isRecord)
  const paths = new Map(
    listed.map((asset) => [
      textOf(asset["sha256"]),
      `assets/${textOf(asset["sha256"])}.${EXTENSIONS[textOf(asset["mime"])] ?? "bin"}`
    ])
  )
  const assets = listed.map((asset) => Object.assign({ path: paths.get(textOf(asset["sha256"])) }, asset))
  zip.addBuffer(Buffer.from(JSON.stringify({ ...bundle, assets })), "bundle.json", { mtime: MOMENT })
  for (const [sha256, content] of images) {
    const path = paths.get(sha256)
    if (path !== undefined) zip.addBuffer(Buffer.from(content), path, { mtime: MOMENT, compress: false })
  }
  zip.end()
  const parts: Array<Buffer> = []
  for await (const part of zip.outputStream) parts.push(part as Buffer)
  return Buffer.concat(parts)
}
