import * as z from "zod"
import { expectedVersion } from "#src/http/server/schemas/number.ts"
import { text } from "#src/http/server/schemas/text.ts"

export const AppPatch = z
  .object({
    expose_relational_numerics: z
      .boolean()
      .optional()
      .meta({ description: "Opt in to relationship scores and their event" }),
    name: text(1, 80).optional().meta({ description: "Cannot be cleared" }),
    expected_version: expectedVersion()
  })
  .meta({ description: "JSON merge patch (RFC 7396): omitted fields stay unchanged, and null restores the default" })

const time = z.iso.datetime()
export const AppData = z.object({
  app_id: z.string(),
  name: z.string(),
  environment: z.enum(["test", "live"]),
  expose_relational_numerics: z.boolean(),
  version: z.int(),
  created_at: time,
  suspended_at: time.nullable().describe("When the operator suspended the app. null: not suspended"),
  suspended_reason: z.string().nullable().describe("Reason given by the operator")
})
export const MeData = AppData.extend({
  engine: z
    .string()
    .describe("Engine that writes the replies: openai-compatible, or offline-retrieval.v1, which does not use a model"),
  model: z.string()
})
