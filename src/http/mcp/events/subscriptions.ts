import type { McpServer, ServerContext } from "@modelcontextprotocol/server"
import { hash } from "node:crypto"
import * as z from "zod"
import { type Api, apiPath, type ApiRequest } from "../Api.ts"
import { eventError, notFound, unsupported } from "./eventErrors.ts"
import { readSubscription, subscriptionParams } from "./eventTypes.ts"

const DAY_MS = 24 * 60 * 60_000
const MIN_TTL_MS = 60_000
const MAX_TTL_MS = 30 * DAY_MS
const DEFAULT_TTL_MS = DAY_MS
/** Standard Webhooks: a key of 24 to 64 bytes. */
const SECRET_BYTES = { least: 24, most: 64 }

const url = z.string().min(1).max(2048)
const cursor = z.string().max(200).nullish()

const isSecret = (text: string): boolean => {
  const encoded = text.startsWith("whsec_") ? text.slice("whsec_".length) : ""
  const bytes = Buffer.from(encoded, "base64")
  const isBase64 = bytes.toString("base64") === encoded
  return isBase64 && bytes.length >= SECRET_BYTES.least && bytes.length <= SECRET_BYTES.most
}

const SubscribeParams = z.object({
  ...subscriptionParams,
  delivery: z.object({
    mode: z.literal("webhook").optional(),
    url,
    secret: z.string().refine(isSecret, "Must be whsec_ and the base64 of 24 to 64 random bytes")
  }),
  cursor,
  ttlMs: z.int().min(0).nullish()
})

const UnsubscribeParams = z.object({ ...subscriptionParams, delivery: z.object({ url }) })

interface Channel {
  readonly id: string
  readonly status: string
  readonly mcp_subscription: string | null
  readonly expires_at: string | null
}

type Given = z.output<typeof UnsubscribeParams>

/** An app's channels for a subscription. Its id is the same for the same name, arguments and address. */
const find = async (call: <A>(request: Omit<ApiRequest, "signal">) => Promise<A>, given: Given) => {
  const { types, character, session } = readSubscription(given)
  const narrowed = character !== undefined ? "character" : session !== undefined ? "session" : undefined
  if (narrowed !== undefined)
    throw unsupported(
      "argument",
      narrowed,
      `A webhook can't be narrowed by ${narrowed}. Leave it out, or use events/poll or events/stream.`
    )
  const { app_id } = await call<{ app_id: string }>({ method: "GET", path: "/v1/me" })
  const key = JSON.stringify([app_id, given.delivery.url, given.name, types ?? null])
  const id = `sub_${hash("sha256", key, "hex").slice(0, 32)}`
  const channelsPath = apiPath`/v1/apps/${app_id}/channels`
  const { channels } = await call<{ channels: ReadonlyArray<Channel> }>({ method: "GET", path: channelsPath })
  return {
    id,
    types,
    channelsPath,
    pathOf: (channel: Channel) => channelsPath + apiPath`/${channel.id}`,
    found: channels.filter(({ mcp_subscription }) => mcp_subscription === id)
  }
}

/** When a subscription ends unless it is renewed. Null, if the client asked for that: never. */
const expiryOf = (ttlMs: number | null | undefined): string | null =>
  ttlMs === null
    ? null
    : new Date(Date.now() + Math.min(Math.max(ttlMs ?? DEFAULT_TTL_MS, MIN_TTL_MS), MAX_TTL_MS)).toISOString()

/** Subscriptions by webhook. Each is an app-wide channel, so it is signed, retried and watched like any other. */
export const registerSubscriptions = (server: McpServer, api: Api, allowWrites: boolean): void => {
  const callFor =
    ({ mcpReq: { signal } }: ServerContext) =>
    async <A>(request: Omit<ApiRequest, "signal">): Promise<A> => {
      if (!allowWrites)
        throw unsupported(
          "deliveryMode",
          "webhook",
          "Webhooks are not offered here. Add ?write=1 to the address, or --allow-write to the command."
        )
      const answer = await api<A>({ ...request, signal })
      if (!answer.ok) throw eventError(answer)
      return answer.data
    }

  server.server.setRequestHandler("events/subscribe", { params: SubscribeParams }, async (params, ctx) => {
    const call = callFor(ctx)
    const { id, types, channelsPath, pathOf, found } = await find(call, params)
    const { delivery, ttlMs } = params
    const expires_at = expiryOf(ttlMs)
    const isLive = ({ expires_at }: Channel) => expires_at === null || Date.parse(expires_at) > Date.now()
    for (const ended of found.filter((channel) => !isLive(channel)))
      await call({ method: "DELETE", path: pathOf(ended) })
    const live = found.find(isLive)
    if (live !== undefined) {
      // Somebody may have changed the address. This one then has to confirm again.
      const body = { url: delivery.url, secret: delivery.secret, expires_at }
      await call({ method: "PATCH", path: pathOf(live), body })
      // Somebody decided to pause it. The other states are the result of failures.
      if (live.status === "failing" || live.status === "disabled")
        await call({ method: "POST", path: `${pathOf(live)}/resume` })
      return { id, refreshBefore: expires_at, cursor: params.cursor ?? null, truncated: false }
    }
    // Read before the channel is created, so that no event falls between the two.
    const { next_cursor } = await call<{ next_cursor: string }>({
      method: "GET",
      path: "/v1/events",
      query: { since: "now", limit: 1 }
    })
    const fromStart = params.cursor === "0"
    await call({
      method: "POST",
      path: channelsPath,
      body: {
        kind: "webhook",
        url: delivery.url,
        secret: delivery.secret,
        events: types ?? null,
        mcp_subscription: id,
        expires_at,
        ...(fromStart && { from: "start" })
      }
    })
    const from = typeof params.cursor === "string" ? params.cursor : next_cursor
    const truncated = !fromStart && from !== next_cursor
    return { id, refreshBefore: expires_at, cursor: fromStart ? "0" : next_cursor, truncated }
  })

  server.server.setRequestHandler("events/unsubscribe", { params: UnsubscribeParams }, async (params, ctx) => {
    const call = callFor(ctx)
    const { pathOf, found } = await find(call, params)
    if (found.length === 0)
      throw notFound("subscription", "There is no subscription with this name, these arguments and this url.")
    for (const channel of found) await call({ method: "DELETE", path: pathOf(channel) })
    return {}
  })
}
