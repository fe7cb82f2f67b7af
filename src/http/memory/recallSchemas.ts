import * as z from "zod"
import { wholeBetween } from "#src/http/server/schemas/number.ts"
import { text } from "#src/http/server/schemas/text.ts"

export const RecallBody = z.object({
  text: text(1, 2_000).meta({ description: "As a message of the person", examples: ["What's my sister's name?"] }),
  limit: wholeBetween(1, 100).default(20)
})
export const RecallData = z.object({
  found: z
    .array(
      z.object({
        kind: z.enum(["said", "memory", "lore", "evidence"]),
        cursor: z.int().nullable().describe("Where it was said. Null if it was not said"),
        id: z.string().nullable().describe("Id of the memory, lore entry or evidence. Null for what was said"),
        score: z.number().min(0).max(1),
        text: z.string()
      })
    )
    .describe("Best first")
})
