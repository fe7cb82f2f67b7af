import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { applyMergePatch } from "#src/http/server/schemas/mergePatch.ts"

const json = () => fc.jsonValue({ maxDepth: 4 })
const object = () => fc.dictionary(fc.string(), json())
const clone = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const withoutNulls = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, member]) => member !== null && key !== "__proto__")
      .map(([key, member]) => [key, withoutNulls(member)])
  )
}

describe("a merge patch", () => {
  it.each([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [
      ["a", "b"],
      ["c", "d"],
      ["c", "d"]
    ],
    [{ a: "b" }, ["c"], ["c"]],
    [{ a: "foo" }, null, null],
    [{ a: "foo" }, "bar", "bar"],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }]
  ])("merges the examples of RFC 7396: %j with %j", (target, patch, merged) => {
    expect(applyMergePatch(target, patch)).toEqual(merged)
  })

  it("changes neither the target nor the patch", () => {
    fc.assert(
      fc.property(json(), json(), (target, patch) => {
        const before = [clone(target), clone(patch)]
        applyMergePatch(target, patch)
        expect([clone(target), clone(patch)]).toEqual(before)
      })
    )
  })

  it("has the same result when it is applied twice", () => {
    fc.assert(
      fc.property(json(), json(), (target, patch) => {
        const once = applyMergePatch(target, patch)
        expect(applyMergePatch(once, patch)).toEqual(once)
      })
    )
  })

  it("returns the patch without its nulls if there was no object before", () => {
    fc.assert(
      fc.property(object(), (patch) => {
        expect(applyMergePatch("before", patch)).toEqual(withoutNulls(patch))
      })
    )
  })

  it("keeps what an empty patch does not name", () => {
    fc.assert(
      fc.property(object(), (target) => {
        const { ["__proto__"]: _, ...kept } = target
        expect(applyMergePatch(target, {})).toEqual(kept)
      })
    )
  })

  it("drops __proto__ at every level, from the patch and from the target", () => {
    const hostile: unknown = JSON.parse(
      `{"a": {"__proto__": {"admin": true}}, "__proto__": {"admin": true}, "constructor": {"prototype": ` +
        `{"admin": true}}}`
    )
    for (const merged of [applyMergePatch({ a: { b: 1 } }, hostile), applyMergePatch(hostile, { a: { b: 1 } })]) {
      expect(merged).toHaveProperty("a.b", 1)
      expect(merged).not.toHaveProperty("admin")
      expect(JSON.stringify(merged)).not.toContain("__proto__")
      expect(Object.getPrototypeOf(merged)).toBe(Object.prototype)
    }
    expect({}).not.toHaveProperty("admin")
  })
})
