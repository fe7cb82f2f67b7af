import { isIP } from "node:net"
import { allowedUpdates, DEFAULT_UPDATES } from "../allowedUpdates.ts"
import type { Client } from "../Client.ts"
import { type Call, Described, type Methods } from "../Method.ts"
import type { Parameters } from "../Parameters.ts"
import { badRequest, tooManyRequests } from "../Refusal.ts"
import { Webhook, type WebhookSettings } from "../Webhook.ts"
import type { World } from "../World.ts"

const LONGEST_POLL_SECONDS = 50
const LONGEST_SECRET = 256
const PORTS = new Set(["", "443", "80", "88", "8443"])
const WEBHOOK_IS_ACTIVE =
  "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"

const within = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value))

/** Unchanged if the call does not set it. */
const updateAllowed = (client: Client, parameters: Parameters) => {
  const asked = parameters.json<ReadonlyArray<string>>("allowed_updates")
  if (Array.isArray(asked)) client.allowedUpdates = allowedUpdates(asked)
}

const readSettings = ({ parameters }: Call): WebhookSettings => {
  const certificate = parameters.files.get("certificate")
  return {
    url: parameters.text("url"),
    secret: parameters.text("secret_token"),
    maxConnections: within(parameters.integer("max_connections", 40), 1, 100),
    ...(certificate !== undefined && { certificate: certificate.bytes })
  }
}

const checkSettings = (world: World, { secret, url }: WebhookSettings): void => {
  const parsed = URL.parse(url.includes("://") ? url : `https://${url}`)
  if (parsed === null || parsed.hostname === "") throw badRequest("invalid webhook URL specified")
  if (secret.length > LONGEST_SECRET) throw badRequest("secret token is too long")
  if (!/^[\w-]*$/.test(secret)) throw badRequest("secret token contains unallowed characters")
  if (world.takesAnyWebhookUrl) return
  if (parsed.protocol !== "https:") throw badRequest("bad webhook: An HTTPS URL must be provided for webhook")
  if (!PORTS.has(parsed.port)) throw badRequest("bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443")
}

const isSame = (one: WebhookSettings, other: WebhookSettings) =>
  one.url === other.url &&
  one.secret === other.secret &&
  one.maxConnections === other.maxConnections &&
  one.certificate === undefined &&
  other.certificate === undefined

const open = ({ bot, client, webhookReply, world }: Call, settings: WebhookSettings): Webhook =>
  new Webhook(settings, bot.updates, world.clock, {
    delivered: (delivery) => world.deliveries.push({ botId: bot.id, ...delivery }),
    replied: ({ body, contentType }) => webhookReply(contentType, body),
    abandoned: () => client.dropWebhook()
  })

const remove = ({ bot, client, parameters }: Call): Described<true> => {
  const wasSet = client.webhook !== undefined
  client.dropWebhook()
  if (parameters.boolean("drop_pending_updates")) bot.updates.clear()
  return new Described(true, wasSet ? "Webhook was deleted" : "Webhook is already deleted")
}

export const updates: Methods<"getUpdates" | "setWebhook" | "deleteWebhook" | "getWebhookInfo"> = {
  getUpdates: async ({ client, parameters }) => {
    if (client.webhook !== undefined) throw await client.poll.refusal(WEBHOOK_IS_ACTIVE)
    updateAllowed(client, parameters)
    return [
      ...(await client.poll.get({
        offset: parameters.integer("offset"),
        limit: within(parameters.integer("limit", 100), 1, 100),
        timeoutSeconds: within(parameters.integer("timeout"), 0, LONGEST_POLL_SECONDS)
      }))
    ]
  },

  setWebhook: (call) => {
    const { bot, client, parameters, world } = call
    const settings = readSettings(call)
    if (settings.url === "") return remove(call)
    const nowMs = world.clock.nowMs()
    if (nowMs < client.nextSetWebhookAtMs) throw tooManyRequests(1)
    client.nextSetWebhookAtMs = nowMs + 1_000
    const isDropping = parameters.boolean("drop_pending_updates")
    if (client.webhook !== undefined && isSame(client.webhook.settings, settings) && !isDropping) {
      updateAllowed(client, parameters)
      return new Described(true, "Webhook is already set")
    }
    client.poll.abort("terminated by setWebhook request")
    // The old webhook is removed before the new one is validated.
    client.dropWebhook()
    if (isDropping) bot.updates.clear()
    checkSettings(world, settings)
    updateAllowed(client, parameters)
    client.webhook = open(call, settings)
    return new Described(true, "Webhook was set")
  },

  deleteWebhook: remove,

  getWebhookInfo: ({ bot, client }) => {
    const { webhook } = client
    const base = {
      url: webhook?.settings.url ?? "",
      has_custom_certificate: webhook?.settings.certificate !== undefined,
      pending_update_count: bot.updates.pending().length
    }
    const allowed = client.allowedUpdates === DEFAULT_UPDATES ? {} : { allowed_updates: [...client.allowedUpdates] }
    if (webhook === undefined) return { ...base, ...allowed }
    const host = new URL(webhook.settings.url).hostname
    return {
      ...base,
      ...(isIP(host) !== 0 && { ip_address: host }),
      ...(webhook.lastError !== undefined && {
        last_error_date: webhook.lastError.date,
        last_error_message: webhook.lastError.message
      }),
      max_connections: webhook.settings.maxConnections,
      ...allowed
    }
  }
}
