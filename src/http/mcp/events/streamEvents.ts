import type { ServerContext } from "@modelcontextprotocol/server"
import { setTimeout as wait } from "node:timers/promises"
import type { Api, ApiRefusal } from "../Api.ts"
import { continueFrom, EVENT_ERROR, eventError } from "./eventErrors.ts"
import type { Subscription } from "./eventTypes.ts"
import { type FeedPage, readFeed } from "./readFeed.ts"

const PAGE = 200
/** A stream without events says so this often. The extension asks for 30 seconds at most. */
const HEARTBEAT_SECONDS = 20
/** Events that come closer together than this are read together, so that a busy feed costs few requests. */
const GATHER_MS = 250
/** After a read that failed for a while. */
const RETRY_MS = 2000

export interface StreamLimits {
  /** How many there may be at once: on one connection, or in the answer to one request, which may be a batch. */
  readonly most: number
  /** How long a stream lasts. The client then opens another. */
  readonly lifetimeMs: number
  /** Resolves when the client has taken what was sent. */
  readonly drained: () => Promise<void>
}

export interface StreamRequest extends Subscription {
  readonly cursor: string | null
  /** Leaves out older events. Milliseconds since the epoch. */
  readonly notBefore: number
}

const errorOf = (refusal: ApiRefusal) => {
  const { code, message, data } = eventError(refusal)
  return { error: { code, message, data } }
}

/** Sends the events of a subscription as notifications, from the page that the caller has just read. */
export const streamEvents = async (
  api: Api,
  request: StreamRequest,
  first: FeedPage,
  { lifetimeMs, drained }: StreamLimits,
  { mcpReq: { id, notify, signal } }: ServerContext
): Promise<void> => {
  const endsAt = Date.now() + lifetimeMs
  const send = (kind: "active" | "event" | "heartbeat" | "error" | "terminated", params: object) =>
    notify({
      method: `notifications/events/${kind}`,
      params: { ...params, _meta: { "io.modelcontextprotocol/subscriptionId": id } }
    })
  const pause = (ms: number) => wait(ms, undefined, { signal }).catch(() => {})

  /** A client that reconnects with the cursor of any event misses none: those of one page share the one before it. */
  const sendPage = async ({ occurrences, cursor }: FeedPage, before: string) => {
    for (const [index, occurrence] of occurrences.entries())
      await send("event", { ...occurrence, cursor: index === occurrences.length - 1 ? cursor : before })
  }

  // After a gap, the place that the client knows is not one to return to.
  let cursor = first.occurrences.length === 0 ? first.cursor : (request.cursor ?? first.cursor)
  await send("active", { cursor, truncated: first.truncated })
  await sendPage(first, cursor)
  cursor = first.cursor
  let hasMore = first.hasMore
  for (;;) {
    await drained()
    const left = Math.ceil((endsAt - Date.now()) / 1000)
    if (left <= 0 || signal.aborted) return
    const startedAt = Date.now()
    const waitSeconds = hasMore ? 0 : Math.min(HEARTBEAT_SECONDS, left)
    const read = await readFeed(api, { ...request, cursor, limit: PAGE, waitSeconds, signal })
    if (signal.aborted) return
    if (read.ok) {
      const page = read.data
      await sendPage(page, cursor)
      cursor = page.cursor
      hasMore = page.hasMore
      if (page.occurrences.length === 0) await send("heartbeat", { cursor })
      if (!hasMore) await pause(startedAt + GATHER_MS - Date.now())
      continue
    }
    const kept = continueFrom(read)
    const error = errorOf(read)
    if (kept !== undefined) {
      cursor = kept
      await send("active", { cursor, truncated: true })
    } else if (error.error.code === EVENT_ERROR.forbidden) return send("terminated", error)
    else {
      await send("error", error)
      await pause(RETRY_MS)
    }
  }
}
