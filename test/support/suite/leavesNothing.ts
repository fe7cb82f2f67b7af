import { relative, resolve } from "node:path"
import { afterAll, assert, beforeAll, expect } from "vitest"
import { catalogue } from "#src/http/server/catalogue.ts"
import { collect } from "#test/support/longestLoopBlock.ts"

const ROOT = resolve(import.meta.dirname, "../../..")
const MAX_LEFT_BYTES = 150 * 1024 ** 2

const heldBytes = (): number => {
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/**
 * What this process held before a file, after its modules were loaded. One file runs after another in the same process,
 * so what one of them leaves behind is in the way of all that follow.
 */
let before: { readonly errors: number; readonly bytes: number }

beforeAll(() => {
  before = { errors: catalogue.length, bytes: heldBytes() }
})
// Hooks that end a file run in reverse order, so this one runs after those of the file have closed everything.
afterAll(() => {
  const name = relative(ROOT, expect.getState().testPath ?? "")
  const leftMiB = Math.round((heldBytes() - before.bytes) / 1024 ** 2)
  assert.isBelow(leftMiB * 1024 ** 2, MAX_LEFT_BYTES, `${name} leaves ${leftMiB} MiB behind in its process`)
  assert.strictEqual(catalogue.length, before.errors, `${name} adds to the catalogue of errors of its process`)
})
