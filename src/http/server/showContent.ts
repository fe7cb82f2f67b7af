import * as Effect from "effect/Effect"
import type { FastifyReply } from "fastify"
import { ReadRoom } from "#channels/event-log/ReadRoom.ts"
import { StoredObjects } from "#src/db/character/StoredObjects.ts"
import { storageUnavailable } from "./errors.ts"
import type { ApiError } from "./ApiError.ts"
import { HeldBytes } from "./limits/HeldBytes.ts"
import { ownerOfPictures } from "./limits/Owner.ts"

/** Room for a picture, or for a part of an export. */
const CONTENT_BYTES = 5 * 1024 * 1024
/** How long clients may cache the content. After a deletion or a suspension it may be visible for this long. */
const CACHED_SECONDS = 300

/** Content that the caller may read, as a file. */
export const readContent = Effect.fnUntraced(function* (objectKey: string, absent: ApiError) {
  const room = yield* ReadRoom
  const content = yield* room(
    CONTENT_BYTES,
    StoredObjects.use((objects) => objects.get(objectKey))
  ).pipe(Effect.catchTag("StorageError", () => Effect.fail(storageUnavailable)))
  return content ?? (yield* absent)
})

/** A picture of this app, which anybody may load who has its address. */
export const readPicture = Effect.fnUntraced(function* (
  reply: FastifyReply,
  appId: string,
  objectKey: string,
  absent: ApiError
) {
  const { roomOf, watch } = yield* HeldBytes
  const owner = ownerOfPictures(appId)
  watch(owner, reply.raw)
  return yield* Effect.provideService(readContent(objectKey, absent), ReadRoom, roomOf(owner))
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
