import * as z from "zod"
import { BATCH_ACTIONS } from "#src/db/telegram/batches/batchKinds.ts"
import { BOT_STATUSES } from "#src/db/telegram/bots/StoredBot.ts"
import { wholeBetween } from "#src/http/server/schemas/number.ts"
import { suggestions } from "./telegramSchemas.ts"
import { text } from "#src/http/server/schemas/text.ts"

export const MAX_BOTS = 1000
/**
 * Links that are printed and handed out are valid for longer than those that are used at once. The maximum is a week,
 * because each link is a credential.
 */
const LINK_MINUTES = { least: 5, most: 7 * 24 * 60, unlessSaid: 24 * 60 }

const dryRun = z.boolean().default(false).meta({ description: "Only check what can be checked, and change nothing" })

const managedBots = z
  .array(z.object({ character_slug: text(1, 200), ...suggestions }))
  .min(1)
  .max(MAX_BOTS)
  .superRefine((bots, context) => {
    const seen = new Set<string>()
    for (const [index, { suggested_username: username }] of bots.entries()) {
      if (username === undefined) continue
      if (seen.has(username.toLowerCase()))
        context.addIssue({
          code: "custom",
          path: [index, "suggested_username"],
          message: "Must be unique within the batch",
          input: username
        })
      seen.add(username.toLowerCase())
    }
  })

export const BatchCreate = z.discriminatedUnion("action", [
  z.object({
    action: z.literal("attach"),
    bots: z
      .array(z.object({ token: z.string().min(1).max(200), character_slug: text(1, 200) }))
      .min(1)
      .max(MAX_BOTS),
    dry_run: dryRun
  }),
  z.object({
    action: z.literal("create_managed"),
    bots: managedBots,
    expires_in_minutes: wholeBetween(LINK_MINUTES.least, LINK_MINUTES.most)
      .default(LINK_MINUTES.unlessSaid)
      .meta({ description: "How long the links are good" }),
    dry_run: dryRun
  }),
  z.object({
    action: z.enum(["suspend", "resume", "rotate_secret", "rotate_token", "rebrand"]).meta({
      description: "rebrand: the bot's name, descriptions, commands and picture become what its character is now"
    }),
    bot_ids: z.array(z.string().min(1).max(64)).min(1).max(MAX_BOTS),
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
  items: z.array(
    z.object({
      place: z.int().describe("In the request, from 1"),
      bot_id: z.string(),
      status: z
        .enum(["pending", "done", "failed"])
        .describe("Of create_managed, done: the link is there; how the bot is doing is in bot"),
      error_code: z
        .string()
        .nullable()
        .describe(
          "Of a pending one, what its last attempt came to. rate_limited: Telegram lets it be done only later, " +
            "which for names may be hours"
        ),
      next_attempt_at: z.iso.datetime().nullable().describe("Of one that waits after an attempt"),
      bot: z
        .object({
          status: z.enum(BOT_STATUSES),
          reason: z.string().nullable().describe("link_expired: nobody has created it in time"),
          username: z.string().nullable()
        })
        .nullable()
        .describe("How the bot is doing; null: this app has none of this id, or none yet"),
      link: z
        .object({
          url: z
            .string()
            .describe(
              "Opens Telegram's dialog for a new bot; for a username that the app has suggested, the manager " +
                "bot, which leads there. Whoever has it can create the bot"
            ),
          claim_url: z.string().describe("Opened first, it lets the bot be found whatever its username becomes"),
          expires_at: z.iso.datetime()
        })
        .nullable()
        .describe("Of create_managed, until the bot is created or the link has run out")
    })
  ),
  next_cursor: z.string().nullable()
})
