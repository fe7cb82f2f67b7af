import * as Effect from "effect/Effect"
import type { FastifyReply } from "fastify"
import { StoredObjects } from "#src/db/character/StoredObjects.ts"
import { storageUnavailable } from "./errors.ts"
import type { ApiError } from "./ApiError.ts"

/** How long clients may cache the content. After a deletion or a suspension it may be visible for this long. */
const CACHED_SECONDS = 300

/** Content that the caller may read, as a file. */
export const readContent = Effect.fnUntraced(function* (objectKey: string, absent: ApiError) {
  const content = yield* StoredObjects.use((objects) => objects.get(objectKey)).pipe(
    Effect.catchTag("StorageError", () => Effect.fail(storageUnavailable))
  )
  return content ?? (yield* absent)
})

/** The content is only displayed as its declared media type, and cannot run scripts. */
export const serveContent = (reply: FastifyReply, mediaType: string, content: Uint8Array) =>
  reply
    .headers({
      "content-type": mediaType,
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "content-disposition": "inline",
      "cross-origin-resource-policy": "cross-origin",
      "cache-control": `private, max-age=${CACHED_SECONDS}`
    })
    .send(Buffer.from(content.buffer, content.byteOffset, content.byteLength))
