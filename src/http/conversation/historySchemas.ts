import * as z from "zod"
import { created } from "#src/http/server/schemas/answers.ts"
import { moment } from "#src/http/server/schemas/moment.ts"
import { text } from "#src/http/server/schemas/text.ts"
import { MAX_CHARACTERS } from "./messageSchemas.ts"

/** Messages per call. */
export const MAX_PER_CALL = 1_000

export const HistoryAppend = z.object({
  messages: z
    .array(
      z.object({
        role: z.enum(["user", "character"]),
        text: text(1, MAX_CHARACTERS).meta({ examples: ["My sister Nadia plays the cello."] }),
        at: moment.meta({ description: "When it was said. Not in the future, and not before the message before it" })
      })
    )
    .min(1)
    .max(MAX_PER_CALL)
    .meta({
      description: "In the order in which they were said. At most 10,000 per session over all calls",
      examples: [
        [
          { role: "user", text: "My sister Nadia plays the cello.", at: "2026-01-05T19:30:00Z" },
          { role: "character", text: "A low voice in the family, then.", at: "2026-01-05T19:30:20Z" }
        ]
      ]
    })
})

export const HistoryData = z.object({
  appended: z.int().describe("Number of messages"),
  first_cursor: z.int(),
  last_cursor: z.int(),
  total: z.int().describe("All messages of the session that were added this way"),
  ...created
})
