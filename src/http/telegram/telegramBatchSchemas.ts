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

const dryRun = z
  .boolean()
  .default(false)
  .meta({ description: "Validate as much as possible without changing anything" })

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
      .meta({ description: "How long the links are valid" }),
    dry_run: dryRun
  }),
  z.object({
    action: z.enum(["suspend", "resume", "rotate_secret", "rotate_token", "rebrand"]).meta({
      description: "rebrand: update the bot's name, descriptions, commands and picture from its current character"
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
      place: z.int().describe("Position in the request, from 1"),
      bot_id: z.string(),
      status: z
        .enum(["pending", "done", "failed"])
        .describe("done: for create_managed, the link exists. The status of the bot itself is in bot"),
      error_code: z
        .string()
        .nullable()
        .describe(
          "For a pending item: error of the last attempt. rate_limited: " +
            "Telegram allows it only later, which for names can take hours"
        ),
      next_attempt_at: z.iso
        .datetime()
        .nullable()
        .describe("For an item that waits after an attempt: when it is tried again"),
      bot: z
        .object({
          status: z.enum(BOT_STATUSES),
          reason: z.string().nullable().describe("link_expired: nobody created the bot in time"),
          username: z.string().nullable()
        })
        .nullable()
        .describe("Status of the bot. null: the app has no bot with this id, or not yet"),
      link: z
        .object({
          url: z
            .string()
            .describe(
              "Opens Telegram's dialog for a new bot or, if the app suggested the username, the manager " +
                "bot, which leads to the dialog. Anyone who has the link can create the bot"
            ),
          claim_url: z.string().describe("Open this link first to let the creator choose another username"),
          expires_at: z.iso.datetime()
        })
        .nullable()
        .describe("For create_managed, until the bot is created or the link expires")
    })
  ),
  next_cursor: z.string().nullable()
})
