import type { Api, ApiAnswer } from "../Api.ts"
import type { Subscription } from "./eventTypes.ts"

interface LogEvent {
  readonly id: string
  readonly type: string
  readonly created_at: string
}

/** An event in the form of the Events extension. */
export interface Occurrence {
  readonly eventId: string
  readonly name: string
  readonly timestamp: string
  /** The event as in the log of its session. */
  readonly data: object
}

export interface FeedPage {
  readonly occurrences: ReadonlyArray<Occurrence>
  /** The place after them. */
  readonly cursor: string
  readonly hasMore: boolean
  /** Events were left out because of their age. */
  readonly truncated: boolean
}

export interface FeedQuery extends Subscription {
  /** Exclusive. Null: from now on. */
  readonly cursor: string | null
  readonly limit: number
  /** Leaves out older events. Milliseconds since the epoch. */
  readonly notBefore: number
  readonly waitSeconds: number
  readonly signal: AbortSignal
}

/** One page of the app's feed after a cursor. */
export const readFeed = async (api: Api, query: FeedQuery): Promise<ApiAnswer<FeedPage>> => {
  const { types, character, session, cursor, limit, notBefore, waitSeconds, signal } = query
  const read = await api<{ events: ReadonlyArray<LogEvent>; next_cursor: string; has_more: boolean }>({
    method: "GET",
    path: "/v1/events",
    query: { since: cursor ?? "now", limit, wait: waitSeconds, types: types?.join(","), character, session },
    signal
  })
  if (!read.ok) return read
  const { events, next_cursor, has_more } = read.data
  const recent = events.filter(({ created_at }) => Date.parse(created_at) >= notBefore)
  return {
    ok: true,
    data: {
      occurrences: recent.map((event) => ({
        eventId: event.id,
        name: event.type,
        timestamp: event.created_at,
        data: event
      })),
      cursor: next_cursor,
      hasMore: has_more,
      truncated: recent.length < events.length
    }
  }
}
