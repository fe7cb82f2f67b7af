import { assert } from "vitest"

/** PostgreSQL rounds to milliseconds, and this process cuts them off. */
const ROUNDING_MS = 1

/** Asserts that a time is between `fromMs` and now, or `laterMs` after that, however long the test took. */
export const assertSince = (time: unknown, fromMs: number, laterMs = 0): void => {
  const atMs = Date.parse(String(time)) - laterMs
  assert.isAtLeast(atMs, fromMs - ROUNDING_MS, `${String(time)} is too early`)
  assert.isAtMost(atMs, Date.now() + ROUNDING_MS, `${String(time)} is too late`)
}
