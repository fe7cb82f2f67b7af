import * as z from "zod"
import { UNKNOWN_POLICIES } from "#channels/telegram/TelegramBots.ts"
import { wholeBetween } from "#src/http/server/schemas/number.ts"
import { text } from "#src/http/server/schemas/text.ts"

const time = z.iso.datetime()

const token = z
  .string()
  .min(1)
  .max(200)
  .meta({ description: "The bot's token, as @BotFather gives it. It is never shown again" })

const unknownPolicy = z.enum(UNKNOWN_POLICIES).meta({
  description:
    "What becomes of a message of which nobody knows whether it arrived. skip: nothing. resend_once: it is " +
    "sent once more, and may arrive twice. resend_marked: so too, with a mark"
})
const joinWindow = wholeBetween(0, 5000).meta({
  description: "Messages that follow each other so closely are answered as one"
})
const drafts = z.boolean().meta({
  description:
    "While an answer is written, show a draft with a button that stops it, and not that somebody types; in " +
    "private chats only. Telegram's word that a bot cannot do it turns this off"
})
const characterSlug = text(1, 200)
const dropPending = z
  .boolean()
  .meta({ description: "Drop what people have written and Telegram has not handed over yet" })

const common = {
  character_slug: characterSlug,
  unknown_policy: unknownPolicy.optional(),
  join_window_ms: joinWindow.optional(),
  drafts: drafts.optional()
}

/** Telegram's rules: 5 to 32 letters, digits and underscores, starting with a letter and ending in bot. */
const username = z
  .string()
  .max(32)
  .regex(
    /^[A-Za-z](?:_?[A-Za-z0-9]){1,28}_?[Bb][Oo][Tt]$/,
    "Must be 5 to 32 letters, digits and underscores, begin with a letter and end in bot"
  )

/** For a bot that a person will create. */
export const suggestions = {
  suggested_name: text(1, 64)
    .optional()
    .meta({ description: "What people see; the character's name when absent. Whoever creates the bot may change it" }),
  suggested_username: username.optional(),
  owner_ref: text(1, 128).optional().meta({ description: "Your own name for whom it is made for" })
}

export const BotCreate = z.discriminatedUnion("mode", [
  z
    .object({
      mode: z.literal("byo"),
      token,
      ...common,
      takeover: z
        .boolean()
        .default(false)
        .meta({ description: "Take the bot over from a system whose webhook is set" }),
      drop_pending: dropPending.default(false)
    })
    .meta({ title: "A bot that you have" }),
  z
    .object({
      mode: z.literal("managed"),
      ...common,
      ...suggestions
    })
    .meta({ title: "A bot that somebody creates by a link" })
])
export type BotCreate = z.output<typeof BotCreate>

const qr = z.string().describe("The address as a QR code: an SVG picture as a data URI")

/** Only in the first answer, because anyone with the link can create the bot. */
export const shownLink = {
  link: z
    .object({
      url: z
        .string()
        .describe(
          "Opens Telegram's dialog for a new bot; for a username that the app has suggested, the manager bot, " +
            "which leads there"
        ),
      qr,
      claim_url: z.string().describe("Opened first, it lets the bot be found whatever its username becomes"),
      claim_qr: qr,
      expires_at: time
    })
    .optional()
    .describe("Only in the answer that made it, and only for a managed bot")
}

export const BotPatch = z.object({
  token: token.optional().meta({ description: "A new token of the same bot" }),
  character_slug: characterSlug
    .optional()
    .meta({ description: "Whom new conversations are with; those that there are go on" }),
  unknown_policy: unknownPolicy.optional(),
  join_window_ms: joinWindow.optional(),
  drafts: drafts.optional(),
  drop_pending: dropPending.optional()
})
export type BotPatch = z.output<typeof BotPatch>

export const BotData = z.object({
  id: z.string(),
  mode: z.enum(["byo", "managed"]),
  status: z
    .enum(["awaiting_creation", "pending", "active", "degraded", "suspended", "revoked"])
    .describe("revoked: Telegram takes its token no more; PATCH a new one"),
  reason: z.string().nullable(),
  held: z
    .boolean()
    .describe(
      "Whoever runs this server holds the app's bots back: what comes in is kept, nothing goes out, until they " +
        "are released. resume does not end it"
    ),
  character_slug: z.string(),
  telegram_user_id: z.int().nullable(),
  username: z.string().nullable(),
  owner_ref: z.string().nullable().describe("As it was given when a managed bot was asked for"),
  url: z.string().nullable().describe("Where people find it"),
  token_hint: z.string().nullable(),
  unknown_policy: unknownPolicy,
  join_window_ms: z.int(),
  drafts: z.boolean(),
  webhook: z.object({
    set_at: time.nullable(),
    pending_update_count: z.int().nullable(),
    last_error_message: z.string().nullable(),
    last_error_at: time.nullable()
  }),
  last_in_at: time.nullable(),
  created_at: time
})
export const BotDetail = BotData.extend({
  chats: z.int(),
  blocked_chats: z.int(),
  last_out_at: time.nullable(),
  unknown_24h: z.int().describe("Messages of the last day of which nobody knows whether they arrived"),
  rejected_24h: z.int(),
  send_latency_ms: z
    .object({ p50: z.number().nullable(), p95: z.number().nullable() })
    .describe("Of the last day's messages, from the call to Telegram's answer"),
  blocked_until: time.nullable().describe("Telegram has asked for so long a pause")
})
export const BotPage = z.object({ bots: z.array(BotData), next_cursor: z.string().nullable() })
export const BotDeleted = z.object({ id: z.string(), deleted: z.literal(true) })
export const ChatPage = z.object({
  chats: z.array(
    z.object({
      id: z.string(),
      chat_id: z.int(),
      thread_id: z.int().nullable(),
      kind: z.enum(["private", "group", "supergroup"]),
      session_id: z.string().nullable(),
      external_user_ref: z.string(),
      status: z.enum(["active", "blocked", "unreachable", "closed"]),
      reason: z.string().nullable(),
      last_in_at: time.nullable(),
      created_at: time
    })
  ),
  next_cursor: z.string().nullable()
})
export const PreCheckoutAnswer = z.object({
  query_id: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .meta({ description: "Of the payment.pre_checkout" }),
  ok: z.boolean(),
  error_message: text(1, 200).optional().meta({ description: "What the person reads where the payment is refused" })
})
export const PreCheckoutAnswered = z.object({ query_id: z.string(), ok: z.boolean() })
export const LinkCreate = z.object({
  external_user_ref: text(1, 128).meta({
    description: "Your own id of the person, whose conversation goes on in Telegram"
  })
})
export const LinkData = z.object({
  url: z.string().optional().describe("Only in the first answer"),
  qr: qr.optional(),
  expires_at: time
})
