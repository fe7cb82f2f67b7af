import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { countJsonValues } from "#src/imports/countJsonValues.ts"

/** As a server may get it: some of its texts long, and full of what has to be escaped. */
const json = fc
  .jsonValue({
    stringUnit: fc.oneof(fc.constantFrom('"', "\\", ",", "[", "{", "\\\\", '\\"', "a".repeat(20)), fc.string())
  })
  .map((value) => ({ value, text: JSON.stringify(value) }))

const separators = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return 0
  const values = Object.values(value)
  return 1 + Math.max(values.length - 1, 0) + values.reduce<number>((sum, inner) => sum + separators(inner), 0)
}

describe("the number of values in a JSON text", () => {
  it("counts brackets and commas, and none that a text contains", () => {
    fc.assert(
      fc.property(json, ({ value, text }) => {
        assert.strictEqual(countJsonValues(Buffer.from(text)), 1 + separators(value))
      }),
      { numRuns: 2000 }
    )
  })

  it.each(['"', '"\\', '["a', `"${"a".repeat(40)}\\"`, `"${"\\".repeat(41)}`])(
    "ends with a text that does not: %s",
    (text) => assert.isAtMost(countJsonValues(Buffer.from(text)), 2)
  )
})
