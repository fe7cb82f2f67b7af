import * as Effect from "effect/Effect"
import type { FastifyReply } from "fastify"
import { StoredObjects } from "#src/db/character/StoredObjects.ts"
import { storageUnavailable } from "./errors.ts"
import type { ApiError } from "./ApiError.ts"

/** How long who has seen it may show it again without asking; who deletes it is heeded after that. */
const CACHED_SECONDS = 300

/** A content that somebody may see, as a file. */
export const readContent = Effect.fnUntraced(function* (objectKey: string, absent: ApiError) {
  const content = yield* StoredObjects.use((objects) => objects.get(objectKey)).pipe(
    Effect.catchTag("StorageError", () => Effect.fail(storageUnavailable))
  )
  return content ?? (yield* absent)
})

/** It is what its media type says, to be looked at and to do nothing. */
export const showContent = (reply: FastifyReply, mediaType: string, content: Uint8Array) =>
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
