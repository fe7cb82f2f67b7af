import type { McpServer } from "@modelcontextprotocol/server"
import * as z from "zod"
import type { Api } from "../Api.ts"
import { continueFrom, eventError, tooManyStreams } from "./eventErrors.ts"
import { listEventTypes, readSubscription, subscriptionParams } from "./eventTypes.ts"
import { type FeedPage, type FeedQuery, readFeed } from "./readFeed.ts"
import { type StreamLimits, streamEvents } from "./streamEvents.ts"
import { registerSubscriptions } from "./subscriptions.ts"

/** The identifier of the extension (SEP-3415). */
export const EVENTS = "io.modelcontextprotocol/events"

const MAX_PAGE = 1000
const DEFAULT_PAGE = 100
/** How long a client should wait before it polls again. */
const NEXT_POLL_MS = 5000

const readParams = {
  ...subscriptionParams,
  cursor: z.string().max(200).nullish(),
  maxAgeMs: z.int().min(0).nullish()
}

/** `maxAgeMs` bounds what is repeated. What happens from now on is never too old. */
const notBeforeOf = ({ maxAgeMs }: { readonly maxAgeMs?: number | null | undefined }): number =>
  maxAgeMs === null || maxAgeMs === undefined ? -Infinity : Date.now() - maxAgeMs

/** Whether the client says that it knows the extension, and so what `truncated` means. */
const knowsEvents = ({ server }: McpServer): boolean =>
  server.getClientCapabilities()?.extensions?.[EVENTS] !== undefined

/** The Events extension: the app's feed by poll and stream, and its webhooks by subscription. */
export const registerEvents = (
  server: McpServer,
  api: Api,
  { allowWrites, stream }: { readonly allowWrites: boolean; readonly stream: StreamLimits }
): void => {
  const requests = server.server

  /**
   * A page, or an error of the protocol. An expired cursor is an error for a client that does not know the extension,
   * because it would overlook the gap. The others get `truncated` and where the feed goes on, as the extension says.
   */
  const readPage = async (query: FeedQuery): Promise<FeedPage> => {
    const read = await readFeed(api, query)
    if (read.ok) return read.data
    const cursor = continueFrom(read)
    if (cursor === undefined || !knowsEvents(server)) throw eventError(read)
    return { occurrences: [], cursor, hasMore: true, truncated: true }
  }

  const list = z.object({ cursor: z.string().nullish() }).optional()
  requests.setRequestHandler("events/list", { params: list }, () => ({ events: listEventTypes(allowWrites) }))

  const pollParams = z.object({ ...readParams, maxEvents: z.int().min(1).nullish() })
  requests.setRequestHandler("events/poll", { params: pollParams }, async (params, ctx) => {
    const { cursor = null, maxEvents } = params
    const page = await readPage({
      ...readSubscription(params),
      cursor,
      limit: Math.min(maxEvents ?? DEFAULT_PAGE, MAX_PAGE),
      notBefore: notBeforeOf(params),
      waitSeconds: 0,
      signal: ctx.mcpReq.signal
    })
    const { occurrences, hasMore, truncated } = page
    return { events: occurrences, cursor: page.cursor, truncated, hasMore, nextPollMs: NEXT_POLL_MS }
  })

  let open = 0
  requests.setRequestHandler("events/stream", { params: z.object(readParams) }, async (params, ctx) => {
    const { cursor = null } = params
    const request = { ...readSubscription(params), cursor, notBefore: notBeforeOf(params) }
    if (open >= stream.most) throw tooManyStreams(stream.most)
    open++
    try {
      const first = await readPage({ ...request, limit: DEFAULT_PAGE, waitSeconds: 0, signal: ctx.mcpReq.signal })
      await streamEvents(api, request, first, stream, ctx)
    } finally {
      open--
    }
    return { _meta: {} }
  })

  registerSubscriptions(server, api, allowWrites)
}
