import { errorCodes, type FastifyRequest } from "fastify"
import { createHash } from "node:crypto"
import type { Readable } from "node:stream"

/** The bytes of a body, and their SHA-1. */
export interface Body {
  readonly bytes: Buffer
  readonly digest: string
}

/**
 * A larger body is copied as it arrives. Joining the parts of 8 MB at the end blocks the event loop for up to 60 ms,
 * mostly for first touching the memory.
 */
const JOINED_BYTES = 64 * 1024

/** Where the parts of a body go as they arrive. */
interface Store {
  readonly add: (part: Buffer, at: number) => void
  readonly whole: (length: number) => Buffer
}

const joined = (): Store => {
  const parts: Array<Buffer> = []
  return {
    add: (part) => void parts.push(part),
    // A copy, because the memory of a part belongs to its socket.
    whole: (length) => Buffer.concat(parts, length)
  }
}

/** Grows in place with what has arrived, so a client cannot occupy memory by declaring a length. */
const growing = (maxByteLength: number): Store => {
  const memory = new ArrayBuffer(Math.min(JOINED_BYTES, maxByteLength), { maxByteLength })
  const all = new Uint8Array(memory)
  return {
    add: (part, at) => {
      const needed = at + part.length
      if (needed > memory.byteLength) memory.resize(Math.min(2 * needed, maxByteLength))
      all.set(part, at)
    },
    whole: (length) => {
      memory.resize(length)
      return Buffer.from(memory, 0, length)
    }
  }
}

/**
 * Reads the body of a request, at most its route's `bodyLimit`. Fails with Fastify's own errors: FST_ERR_CTP_* for one
 * that is larger than the limit, or than it declares, and the stream's error for one that ends too early.
 */
export const readBytes = (
  request: FastifyRequest,
  payload: Readable,
  done: (error: Error | null, body?: Body) => void
) => {
  const limit = request.routeOptions.bodyLimit
  const declared = Number(request.headers["content-length"] ?? Number.NaN)
  if (declared > limit) return done(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())
  const store = declared <= JOINED_BYTES ? joined() : growing(Number.isNaN(declared) ? limit : declared)
  const sha1 = createHash("sha1")
  let length = 0
  const end = (error: Error | null, body?: Body) => {
    payload.off("data", take).off("end", finish).off("error", fail)
    done(error, body)
  }
  const take = (part: Buffer) => {
    if (length + part.length > limit) return end(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())
    if (length + part.length > declared) return end(new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH())
    store.add(part, length)
    sha1.update(part)
    length += part.length
  }
  const finish = () =>
    length < declared
      ? end(new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH())
      : end(null, { bytes: store.whole(length), digest: sha1.digest("hex") })
  const fail = (error: Error) => end(Object.assign(error, { statusCode: 400 }))
  payload.on("data", take).on("end", finish).on("error", fail)
  payload.resume()
}
