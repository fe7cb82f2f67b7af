import { describe, expect, it } from "vitest"
import * as z from "zod"
import { quoteIssues } from "#src/http/server/body/validation.ts"

const quote = (schema: z.ZodType, value: unknown): string =>
  quoteIssues(schema.safeParse(value).error?.issues ?? [], "body")

describe("validation messages", () => {
  it("say Required for anything that is missing", () => {
    const schema = z.object({
      a: z.string(),
      b: z.enum(["x"]),
      c: z.union([z.string(), z.number()]),
      d: z.array(z.string()),
      e: z.literal(1)
    })
    expect(quote(schema, {})).toBe(
      "body.a: Required; body.b: Required; body.c: Required; body.d: Required; body.e: Required"
    )
  })

  it("say Required nowhere else", () => {
    expect(quote(z.object({ a: z.string() }), { a: null })).toBe(
      "body.a: Invalid input: expected string, received null"
    )
  })

  it("list at most five issues", () => {
    const issues = z.array(z.string()).safeParse([1, 2, 3, 4, 5, 6]).error?.issues ?? []
    expect(quoteIssues(issues, "query").split("; ")).toHaveLength(5)
    expect(quoteIssues(issues, "query")).toMatch(/^query\[0\]: /)
  })

  it("describe the branch of a union that was meant", () => {
    const schema = z.object({
      a: z.union([z.string(), z.object({ b: z.union([z.number(), z.object({ c: z.string() })]) })])
    })
    expect(quote(schema, { a: { b: { c: 1 } } })).toBe("body.a.b.c: Invalid input: expected string, received number")
    expect(quote(schema, { a: { b: {} } })).toBe("body.a.b.c: Required")
    expect(quote(schema, { a: true })).toBe("body.a: Invalid input: expected string or object")
  })

  it("name the expected format", () => {
    const schema = z.object({ at: z.iso.datetime({ offset: true }), on: z.iso.date(), to: z.url() })
    expect(quote(schema, { at: "tomorrow", on: "1.2.", to: "here" })).toBe(
      "body.at: Invalid input: expected an ISO 8601 date-time with a time zone, such as 2026-01-31T12:00:00Z; " +
        "body.on: Invalid input: expected an ISO 8601 date, such as 2026-01-31; body.to: Invalid input: expected an " +
        "absolute URL, such as https://example.com/path"
    )
  })

  it("name what each branch of a union expects, and never only that the input is invalid", () => {
    const either = z.union([z.iso.datetime(), z.iso.date()])
    expect(quote(either, "x")).toBe(
      "body: Invalid input: expected an ISO 8601 date-time with a time zone, such as 2026-01-31T12:00:00Z or an " +
        "ISO 8601 date, such as 2026-01-31"
    )
    expect(quote(z.union([z.literal("a"), z.boolean()]), null)).toBe('body: Invalid input: expected "a" or boolean')
    expect(quote(z.enum(["a", "b"]), null)).toBe('body: Invalid option: expected one of "a"|"b"')
    const shapes = z.union([z.object({ a: z.string(), b: z.string() }), z.object({ c: z.number() })])
    expect(quote(shapes, { c: "x" })).toBe("body.c: Invalid input: expected number, received string")
  })

  it("name the invalid key of a record without repeating it at length", () => {
    const quoted = quote(z.record(z.string().regex(/^a/), z.string()), { [`${"é\u0000".repeat(500)}`]: "x" })
    expect(quoted).toMatch(/^body\["é\\u0000/)
    expect(quoted.length).toBeLessThan(400)
  })
})
