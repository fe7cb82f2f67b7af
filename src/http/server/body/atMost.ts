import { Transform } from "node:stream"
import type { ApiError } from "#src/http/server/ApiError.ts"

/** Passes bytes on, up to a number of them: one more fails with what `error` makes. */
export const atMost = (bytes: number, error: () => ApiError): Transform => {
  let seen = 0
  return new Transform({
    transform: (chunk: Buffer, _, done) => {
      seen += chunk.length
      if (seen > bytes) done(error())
      else done(null, chunk)
    }
  })
}
