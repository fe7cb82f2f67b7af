import type { StoredFile } from "./Files.ts"
import { FOLDERS, type MediaKind } from "./media.ts"
import type { Call } from "./Method.ts"
import type { Upload } from "./Parameters.ts"
import { badRequest, Refusal } from "./Refusal.ts"

const BIGGEST_UPLOAD = 50 * 1_048_576
const BIGGEST_PHOTO = 10 * 1_048_576

const keep = ({ world }: Call, kind: MediaKind, { bytes, name, type }: Upload): StoredFile => {
  if (bytes.length === 0) throw badRequest("file must be non-empty")
  if (bytes.length > BIGGEST_UPLOAD) throw new Refusal(413, "Request Entity Too Large")
  if (kind === "photo" && bytes.length > BIGGEST_PHOTO)
    throw badRequest(
      `file of size ${bytes.length} bytes is too big for a photo; the maximum size is ${BIGGEST_PHOTO} bytes`
    )
  return world.files.add(FOLDERS[kind], bytes, { name, type })
}

/**
 * A file reference of a bot: an upload, `attach://` with the name of one, a `file_id` of its own, or a URL (which is
 * not downloaded here).
 */
export const readFile = (call: Call, kind: MediaKind, name: string, value: string): StoredFile => {
  const upload = call.parameters.files.get(value.startsWith("attach://") ? value.slice("attach://".length) : name)
  if (upload !== undefined) return keep(call, kind, upload)
  if (/^https?:\/\//.test(value))
    return call.world.files.add(FOLDERS[kind], Buffer.alloc(0), { name: value.split("/").at(-1) ?? "" })
  if (value === "") throw badRequest(`there is no ${kind.replace("_", " ")} in the request`)
  const known = call.world.files.find(call.bot, value)
  if (known === undefined) throw badRequest("wrong file identifier/HTTP URL specified")
  return known
}
