import * as z from "zod"
import { BATCH_ACTIONS } from "#src/db/telegram/BatchRows.ts"
import { text } from "./text.ts"

const MOST_BOTS = 1000

const dryRun = z.boolean().default(false).meta({ description: "Only check what can be checked, and change nothing" })

export const BatchCreate = z.discriminatedUnion("action", [
  z.object({
    action: z.literal("attach"),
    bots: z.array(z.object({ token: z.string().min(1).max(200), character_slug: text(1, 200) })).min(1).max(MOST_BOTS),
    dry_run: dryRun
  }),
  z.object({
    action: z.enum(["suspend", "resume", "rotate_secret", "rotate_token", "rebrand"]).meta({ description: "rebrand: the bot's name, descriptions, commands and picture become what its character is now" }),
    bot_ids: z.array(z.string().min(1).max(64)).min(1).max(MOST_BOTS),
    dry_run: dryRun
  })
])

export const BatchData = z.object({
  id: z.string(),
  action: z.enum(BATCH_ACTIONS),
  dry_run: z.boolean(),
  status: z.enum(["running", "completed"]),
  total: z.int(),
  done: z.int(),
  failed: z.int(),
  created_at: z.iso.datetime()
})

export const BatchItems = z.object({
  items: z.array(z.object({
    place: z.int().describe("In the request, from 1"),
    bot_id: z.string(),
    status: z.enum(["pending", "done", "failed"]),
    error_code: z.string().nullable().describe("Of a pending one, what its last attempt came to. rate_limited: Telegram lets it be done only later, which for names may be hours"),
    next_attempt_at: z.iso.datetime().nullable().describe("Of one that waits after an attempt")
  })),
  next_cursor: z.string().nullable()
})
