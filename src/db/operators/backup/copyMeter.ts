import { createHash } from "node:crypto"

import type { Watch } from "./whileItMoves.ts"

/** What has passed, in the text format of COPY: each row ends with the only unescaped line feed. */
export interface Measured {
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
}

const LINE_FEED = 10

/** Counts and hashes the content of a table while it passes. The copy is watched until its result is read. */
export const copyMeter = (watch: Watch, onPassed: (rows: number, bytes: number) => void) => {
  watch.begin()
  const hash = createHash("sha256")
  let rows = 0
  let bytes = 0
  return {
    measure: async function* (content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of content) {
        for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) rows++
        bytes += chunk.length
        watch.passed()
        hash.update(chunk)
        onPassed(rows, bytes)
        yield chunk
      }
    },
    result: (): Measured => {
      watch.end()
      return { rows, bytes, sha256: hash.digest("hex") }
    }
  }
}

/** How far a backup or a restore has come. */
export interface Progress {
  readonly table: string
  /** How many tables are done. */
  readonly done: number
  readonly tables: number
  /** Of this table. */
  readonly rows: number
  /** Of all tables so far, uncompressed. */
  readonly bytes: number
}
export type OnProgress = (progress: Progress) => void
