import * as z from "zod"
import { UNKNOWN_POLICIES } from "#channels/telegram/TelegramBots.ts"
import { wholeBetween } from "#src/http/server/schemas/number.ts"
import { text } from "#src/http/server/schemas/text.ts"

const time = z.iso.datetime()

const token = z
  .string()
  .min(1)
  .max(200)
  .meta({ description: "The bot's token from @BotFather. It is never shown again" })

const unknownPolicy = z.enum(UNKNOWN_POLICIES).meta({
  description:
    "What to do with a message whose delivery is unknown. skip: nothing. resend_once: send " +
    "it once more, so it may arrive twice. resend_marked: the same, with a mark"
})
const joinWindow = wholeBetween(0, 5000).meta({
  description: "Messages within this time of each other are answered together"
})
const drafts = z.boolean().meta({
  description:
    "While a reply is generated, show a draft with a button to stop it, in place of the typing " +
    "indicator. Only in private chats. Turned off if Telegram reports that the bot cannot do it"
})
const characterSlug = text(1, 200)
const dropPending = z.boolean().meta({ description: "Drop messages that Telegram has not delivered yet" })

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
    .meta({ description: "Name of the bot. Default: the character's name. The creator of the bot may change it" }),
  suggested_username: username.optional(),
  owner_ref: text(1, 128).optional().meta({ description: "Your own reference for the future owner" })
}

export const BotCreate = z.discriminatedUnion("mode", [
  z
    .object({
      mode: z.literal("byo"),
      token,
      ...common,
      takeover: z.boolean().default(false).meta({ description: "Replace the webhook of another system" }),
      drop_pending: dropPending.default(false)
    })
    .meta({ title: "ExistingBotCreate" }),
  z
    .object({
      mode: z.literal("managed"),
      ...common,
      ...suggestions
    })
    .meta({ title: "ManagedBotCreate" })
])
export type BotCreate = z.output<typeof BotCreate>

const qr = z.string().describe("The URL as a QR code: an SVG image as a data URI")

/** Only in the first answer, because anyone with the link can create the bot. */
export const shownLink = {
  link: z
    .object({
      url: z
        .string()
        .describe(
          "Opens Telegram's dialog for a new bot or, if the app suggested the " +
            "username, the manager bot, which leads to the dialog"
        ),
      qr,
      claim_url: z.string().describe("Open this link first to let the creator choose another username"),
      claim_qr: qr,
      expires_at: time
    })
    .optional()
    .describe("Only in the response that created it, and only for a managed bot")
}

export const BotPatch = z.object({
  token: token.optional().meta({ description: "New token of the same bot" }),
  character_slug: characterSlug
    .optional()
    .meta({ description: "Character of new conversations. Existing conversations continue with theirs" }),
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
    .describe("revoked: Telegram no longer accepts its token. PATCH a new one"),
  reason: z.string().nullable(),
  held: z
    .boolean()
    .describe(
      "The operator has put the app's bots on hold: incoming messages are kept and " +
        "nothing is sent until the hold is released. resume does not end it"
    ),
  character_slug: z.string(),
  telegram_user_id: z.int().nullable(),
  username: z.string().nullable(),
  owner_ref: z.string().nullable().describe("As given when the managed bot was requested"),
  url: z.string().nullable().describe("Public link to the bot"),
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
  unknown_24h: z.int().describe("Messages of the last day whose delivery is unknown"),
  rejected_24h: z.int(),
  send_latency_ms: z
    .object({ p50: z.number().nullable(), p95: z.number().nullable() })
    .describe("For messages of the last day: time from the request to Telegram's response"),
  blocked_until: time.nullable().describe("Telegram has asked for a pause until this time")
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
    .meta({ description: "Id from the payment.pre_checkout" }),
  ok: z.boolean(),
  error_message: text(1, 200).optional().meta({ description: "Shown to the person if the payment is refused" })
})
export const PreCheckoutAnswered = z.object({ query_id: z.string(), ok: z.boolean() })
export const LinkCreate = z.object({
  external_user_ref: text(1, 128).meta({
    description: "Your own id for the person whose conversation continues in Telegram"
  })
})
export const LinkData = z.object({
  url: z.string().optional().describe("Only in the first response"),
  qr: qr.optional(),
  expires_at: time
})
