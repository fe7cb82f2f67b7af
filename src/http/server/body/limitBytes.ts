import { Transform } from "node:stream"
import type { ApiError } from "#src/http/server/ApiError.ts"

/** Passes up to this many bytes through. One more fails with `error`. */
export const limitBytes = (bytes: number, error: () => ApiError): Transform => {
  let seen = 0
  return new Transform({
    transform: (chunk: Buffer, _, done) => {
      seen += chunk.length
      if (seen > bytes) done(error())
      else done(null, chunk)
    }
  })
}
