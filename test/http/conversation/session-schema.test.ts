import { describe, expect, it } from "vitest"
import * as z from "zod"
import { characterSlugOf, SessionCreate } from "#src/http/conversation/sessionSchemas.ts"
import { MessageSend } from "#src/http/conversation/messageSchemas.ts"
import { proactiveControls } from "#src/http/character/proactiveControls.ts"
import { AppPatch } from "#src/http/tenancy/appSchemas.ts"
import { quoteIssues } from "#src/http/server/body/validation.ts"

const refusal = (schema: z.ZodType, body: unknown): string => {
  const parsed = schema.safeParse(body)
  return parsed.success ? "accepted" : quoteIssues(parsed.error.issues, "body")
}

const pair = { character_slug: "mara", external_user_ref: "u1" }

const nested = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth))

describe("the body that creates a session", () => {
  it.each(["character_slug", "character", "slug"])("names its character by %s", (alias) => {
    expect(characterSlugOf(SessionCreate.parse({ [alias]: "mara", external_user_ref: "u1" }))).toBe("mara")
  })

  it.each([
    ["body.character_slug: Required", { external_user_ref: "u1" }],
    ["body.slug: Must not be given together with character_slug", { ...pair, slug: "mara" }],
    ["body.external_user_ref: Required", { character_slug: "mara" }],
    [
      "body.external_user_ref: Too big: expected string to have <=128 characters",
      { ...pair, external_user_ref: "a".repeat(129) }
    ],
    [
      "body.end_user.timezone: Invalid timezone: expected an IANA name such as Europe/Berlin",
      { ...pair, end_user: { timezone: "Mars/Base" } }
    ],
    [
      'body.end_user.age_band: Invalid option: expected one of "adult"|"minor"|"unknown"',
      { ...pair, end_user: { age_band: "teen" } }
    ],
    [
      "body.metadata: Too big: expected at most 4096 bytes of JSON, nested at most 64 deep",
      { ...pair, metadata: { note: "é".repeat(2043) } }
    ],
    [
      "body.metadata: Too big: expected at most 4096 bytes of JSON, nested at most 64 deep",
      { ...pair, metadata: { note: nested(64) } }
    ],
    ["body.new_thread: Invalid input: expected boolean, received string", { ...pair, new_thread: "yes" }]
  ])("reports %s", (message, body) => {
    expect(refusal(SessionCreate, body)).toBe(message)
  })

  it("accepts metadata of exactly 4 KiB, and null for the proactive override", () => {
    const body = { ...pair, proactive_enabled: null, metadata: { note: "é".repeat(2042) + "a" } }
    expect(Buffer.byteLength(JSON.stringify(body.metadata))).toBe(4096)
    expect(SessionCreate.parse(body)).toEqual({ ...body, new_thread: false })
  })
})

describe("the body of a message", () => {
  it("is fast by default", () => {
    expect(MessageSend.parse({ text: "Hi" })).toEqual({ text: "Hi", reply_mode: "fast" })
    expect(MessageSend.parse({ text: "🦊".repeat(32_000), reply_mode: "deep" }).reply_mode).toBe("deep")
  })

  it.each([
    ["body.text: Required", {}],
    ["body.text: Too small: expected string to have >=1 characters", { text: "" }],
    ["body.text: Must not be blank", { text: " \n\t" }],
    ["body.text: Too big: expected string to have <=32000 characters", { text: "a".repeat(32_001) }],
    ['body.reply_mode: Invalid option: expected one of "fast"|"deep"', { text: "Hi", reply_mode: "slow" }],
    ["body: Required", undefined],
    ["body: Invalid input: expected object, received null", null]
  ])("reports %s", (message, body) => {
    expect(refusal(MessageSend, body)).toBe(message)
  })
})

describe("the JSON schemas", () => {
  it.each(Object.entries({ SessionCreate, MessageSend, AppPatch, proactiveControls }))("describe %s", (_, schema) => {
    expect(z.toJSONSchema(schema, { target: "draft-2020-12", io: "input" })).toMatchObject({ type: "object" })
  })
})
