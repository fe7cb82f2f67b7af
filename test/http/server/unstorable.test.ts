import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { findTooDeep, findUnstorable, maybeUnstorable } from "#src/http/server/body/unstorable.ts"

const nested = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth))

describe("text that PostgreSQL cannot store", () => {
  it.each([
    [{ a: "x\u0000" }, "a"],
    [{ a: ["fine", { b: "\ud800" }] }, "a[1].b"],
    [{ a: "\udc00\ud800" }, "a"],
    [{ voice: { "ti\u0000ne": 1 } }, 'voice["ti\\u0000ne"]'],
    [{ "\udfff": 1 }, '["\\udfff"]'],
    [{ b: "\u0000", a: "\u0000" }, "b"],
    ["\u0000", ""]
  ])("is found in %j", (value, path) => {
    expect(findUnstorable(value)).toBe(path)
  })

  it.each([[{ a: "🦊", "🦊": ["\u0001", "\uffff"] }], [null], [7], [[]], ["\ud83e\udd8a"]])(
    "is not found in %j",
    (value) => {
      expect(findUnstorable(value)).toBeNull()
    }
  )

  it("is found at any depth without overflowing the stack", () => {
    const deep: unknown = JSON.parse('{"a":'.repeat(200_000) + '"\\u0000"' + "}".repeat(200_000))
    expect(findUnstorable(deep)).toMatch(/^a\.a\.a.*\.\.\.$/)
    expect(findUnstorable(nested(200_000))).toBeNull()
  })

  it("always appears in the raw JSON first", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) }), (value) => {
        const raw = JSON.stringify({ value })
        expect(maybeUnstorable(raw) || findUnstorable(JSON.parse(raw)) === null).toBe(true)
      })
    )
    expect(maybeUnstorable(`{"a":"\\u0000"}`)).toBe(true)
    expect(maybeUnstorable(`{"a":"\\uD83E\\uDD8A"}`)).toBe(true)
    expect(maybeUnstorable(`{"a":"\\u00e9 u0000 \\ud7ff"}`)).toBe(false)
  })
})

describe("nesting", () => {
  it("may be 64 deep and no deeper", () => {
    expect(findTooDeep(nested(64))).toBeNull()
    expect(findTooDeep(nested(65))).toMatch(/^\[0\]\[0\]/)
    expect(findTooDeep({ a: { b: nested(63) } })).toMatch(/^a\.b\[0\]/)
    expect(findTooDeep({ a: { b: nested(62) } })).toBeNull()
    expect(findTooDeep(nested(200_000))).not.toBeNull()
  })
})
