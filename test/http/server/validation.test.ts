import { describe, expect, it } from "vitest"
import * as z from "zod"
import { fixOf, quoteIssues } from "#src/http/server/body/validation.ts"

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

  it("list twenty issues, and count the others", () => {
    const issues = z.array(z.string()).safeParse(Array.from({ length: 23 }, () => 1)).error?.issues ?? []
    const quoted = quoteIssues(issues, "query").split("; ")
    expect(quoted).toHaveLength(21)
    expect(quoted[0]).toMatch(/^query\[0\]: /)
    expect(quoted.at(-1)).toBe("and 3 more")
  })

  const all = (schema: z.ZodType, value: unknown) => {
    const issues = schema.safeParse(value).error?.issues ?? []
    return { message: quoteIssues(issues, "body", value), fix: fixOf(issues, "body", value) }
  }

  it("say what was found: short values, and only the size of long, secret and nested ones", () => {
    const schema = z.object({
      mode: z.enum(["fast", "deep"]),
      size: z.number().max(3),
      at: z.iso.date(),
      tags: z.array(z.string()).max(1),
      note: z.string().max(50),
      secret: z.string().min(9)
    })
    const value = { mode: "slow", size: 7, at: "soon", tags: ["a", "b"], note: "x".repeat(51), secret: "hidden" }
    const { message } = all(schema, value)
    for (const found of ['"slow"', "7", '"soon"', "an array of 2", "text of 51 characters", "text of 6 characters"])
      expect(message).toContain(`, received ${found}`)
    expect(message).not.toContain("hidden")
    expect(all(schema, { ...value, mode: null }).message).toContain("received null")
  })

  it("come with what to do about these fields: rename what is misspelt, add what is missing, correct the rest", () => {
    const schema = z.object({ reply_mode: z.string(), slug: z.string(), display_name: z.string(), size: z.number() })
    expect(all(schema, { replyMode: "fast", size: "7" }).fix).toBe(
      "Rename body.replyMode to reply_mode. Add body.slug, body.display_name. Correct body.size. " +
        "Then send the request again."
    )
    const many = z.object(Object.fromEntries("abcdefgh".split("").map((name) => [name, z.string()])))
    expect(all(many, {}).fix).toBe(
      "Add body.a, body.b, body.c, body.d, body.e and 3 more. Then send the request again."
    )
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
