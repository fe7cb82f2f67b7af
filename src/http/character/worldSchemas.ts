import * as z from "zod"
import { clockTime, timezone } from "#src/http/server/schemas/locale.ts"
import { loreEntries } from "./loreSchemas.ts"
import { between, wholeBetween } from "#src/http/server/schemas/number.ts"
import { text } from "#src/http/server/schemas/text.ts"

const busyTime = z.object({
  days: z.array(wholeBetween(0, 6)).min(1).max(7).optional().meta({ description: "0 is Sunday. Default every day" }),
  from: clockTime(),
  to: clockTime(),
  label: text(0, 120).optional()
})

const replyDelay = z
  .object({
    min: between(0, 120).optional(),
    max: between(0, 120).optional()
  })
  .refine(({ min, max }) => min === undefined || max === undefined || min <= max, {
    path: ["max"],
    message: "Must not be below min"
  })

export const lifeRhythm = z
  .object({
    timezone: timezone().optional(),
    wake: clockTime().optional(),
    sleep: clockTime().optional(),
    busy: z.array(busyTime).max(20).optional(),
    reply_delay_seconds: replyDelay.optional()
  })
  .meta({ description: "When the character is awake and busy, and how quickly it answers" })

export const worldContext = z
  .object({
    summary: text(0, 4000).optional(),
    scene: text(0, 1000).optional(),
    entries: loreEntries().optional()
  })
  .meta({ description: "Where the character lives" })
