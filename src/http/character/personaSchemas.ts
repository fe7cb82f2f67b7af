import * as z from "zod"
import { unit, wholeBetween } from "#src/http/server/schemas/number.ts"
import { text, texts } from "#src/http/server/schemas/text.ts"

const goal = z.object({
  text: text(1, 200),
  priority: wholeBetween(1, 5).optional().meta({ description: "1 is the lowest" })
})

const secret = z.object({
  text: text(1, 500),
  reveal: z.enum(["never", "trusted", "free"]).optional().meta({ description: "Default never" }),
  min_trust: unit().optional().meta({ description: "Trust from which a `trusted` secret may be revealed" })
})

export const persona = z
  .object({
    summary: text(0, 4000).optional(),
    traits: texts(20, 40).optional(),
    values: texts(10, 120).optional(),
    flaws: texts(10, 120).optional(),
    goals: z.array(goal).max(10).optional(),
    secrets: z.array(secret).max(20).optional()
  })
  .meta({ description: "Private description of the character. It is never shown to end-users verbatim" })

const interest = z.object({
  topic: text(1, 60),
  stance: z.enum(["like", "dislike", "curious"]).optional().meta({ description: "Default like" }),
  detail: text(0, 300).optional()
})

export const interests = z
  .array(z.union([text(1, 300), interest]))
  .max(30)
  .meta({ examples: [["chess", { topic: "rain", stance: "dislike", detail: "It ruins the market day." }]] })
