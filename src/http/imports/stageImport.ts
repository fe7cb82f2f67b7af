import * as Effect from "effect/Effect"
import { bodyHash } from "#src/db/tenancy/bodyHash.ts"
import { readImport } from "#src/imports/readImport.ts"
import { importRefused } from "./importErrors.ts"
import { validationError } from "#src/http/server/errors.ts"
import { ignoredFields } from "#src/http/server/body/ignoredFields.ts"
import { readJsonBody } from "#src/http/server/body/readJsonBody.ts"
import { reviewBundle } from "./reviewBundle.ts"
import { isSlug } from "#src/http/character/characterSchemas.ts"
import { ImportCreate } from "./importSchemas.ts"
import { sayFound } from "#src/http/server/body/sayFound.ts"
import { refusalOf } from "#src/http/server/body/refusal.ts"

const BASE64 = /^[\w+/=\s-]*$/

/** Reads and reviews the body of POST /v1/imports. Throws an ApiError or an ImportRefused. */
export const stageImport = async (bytes: Uint8Array) => {
  const read = readJsonBody(bytes)
  if ("error" in read) throw read.error
  const parsed = ImportCreate.safeParse(read.value)
  if (!parsed.success) throw refusalOf(parsed.error.issues, "body", read.value)
  const { format, json, content_base64: base64 = "", filename, mode, target_slug: slug = null } = parsed.data
  if (slug !== null && mode === "create" && !isSlug(slug)) {
    throw sayFound(
      validationError("body.target_slug: Invalid slug: expected 1 to 63 of a-z, 0-9 and -, not beginning with -"),
      { body: read.value }
    )
  }
  if (!BASE64.test(base64))
    throw sayFound(importRefused("unreadable", "It is not valid base64.").about("body.content_base64"), {
      body: read.value
    })
  const content = json === undefined ? { bytes: Buffer.from(base64, "base64") } : { json }
  const file = await Effect.runPromise(
    Effect.result(readImport({ format, filename, content, forPresent: mode === "update" }))
  )
  if (file._tag === "Failure") throw file.failure
  const { bundle, report, format: found, images } = file.success
  const named = slug === null || mode === "update" ? bundle : { ...bundle, character: { ...bundle.character, slug } }
  return {
    staged: { ...(await reviewBundle(named, report, mode, [])), format: found, images },
    mode,
    targetSlug: slug,
    filename,
    ignored: ignoredFields(read.value, parsed.data),
    hash: bodyHash(read.value)
  }
}
export type StagedImport = Awaited<ReturnType<typeof stageImport>>
