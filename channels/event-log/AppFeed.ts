import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { LogUnavailable } from "./EventLog.ts"
import type { FeedCursor, FeedPlace } from "./FeedCursor.ts"

/** Which events of the feed are shown. Null: all. */
export interface FeedFilter {
  readonly types: ReadonlyArray<string> | null
  readonly characterSlug: string | null
  readonly sessionId: string | null
}

export interface FeedRead {
  readonly appId: string
  /** Exclusive. Null: from the oldest event that is kept. */
  readonly since: FeedCursor | null
  readonly filter: FeedFilter
  /** Maximum number of events. */
  readonly limit: number
}

export interface FeedEvent {
  /** The event as in the log of its session. */
  readonly json: string
  readonly place: FeedPlace
}

/**
 * Where a read ended. A read with a filter looks through a limited number of events, so it may find none and still
 * advance.
 */
interface FeedPage {
  /** Where the next read continues. */
  readonly next: FeedCursor
  /** More events are there already. */
  readonly hasMore: boolean
}

/** Consecutive events of the feed. */
export interface FeedChunk extends FeedPage {
  readonly _tag: "Chunk"
  readonly events: ReadonlyArray<FeedEvent>
}

/** The same as server-sent events, each with the cursor after it as its id. Empty: there are none. */
export interface FeedFrames extends FeedPage {
  readonly _tag: "Frames"
  readonly text: string
}

/**
 * Events after this cursor may be missing. `restored`: it is from another database, or from a history of this one that
 * was lost. `trimmed`: they were deleted because of their age. `continueFrom` misses nothing that is still here.
 */
export interface FeedLost {
  readonly _tag: "Lost"
  readonly because: "restored" | "trimmed"
  readonly continueFrom: string
}

/** Maximum number of events in one page. */
export const MAX_FEED_PAGE = 1000

/** Port: reads all events of all sessions of an app, and its operational events, in one order. */
export class AppFeed extends Context.Service<
  AppFeed,
  {
    readonly read: (read: FeedRead) => Effect.Effect<FeedChunk | FeedLost, LogUnavailable>
    readonly readFrames: (read: FeedRead) => Effect.Effect<FeedFrames | FeedLost, LogUnavailable>
    /** The cursor after the newest event that the feed of an app shows. Null: it shows none. */
    readonly end: (appId: string) => Effect.Effect<FeedCursor | null, LogUnavailable>
    /** The place of the newest event that the feed of each of these apps shows. Apps without events are left out. */
    readonly heads: (apps: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, string>, LogUnavailable>
  }
>()("channels/event-log/AppFeed") {}
