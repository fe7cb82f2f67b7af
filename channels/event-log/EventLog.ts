import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { LogChange } from "./LogSignals.ts"

export interface LogPosition {
  readonly appId: string
  readonly sessionId: string
  /** Exclusive: events after this cursor. */
  readonly since: number
}

/** Consecutive events of one log, already encoded, so that one read serves any number of readers. */
export interface LogChunk {
  /** `json`: the events joined by commas. `sse`: one server-sent-event frame each. Empty if there are none. */
  readonly text: string
  /** Cursor of the last event in it. `since` if it is empty. */
  readonly nextCursor: number
  /** Last cursor of the log when it was read. */
  readonly tail: number
  /** Events up to this cursor are no longer kept. A reader that has not read them has missed them. */
  readonly keptAfter: number
  /** `since` is beyond the end of the log: the reader has seen events that are lost, or its cursor is wrong. */
  readonly isBeyond: boolean
}

/** The log is temporarily unavailable, through our own fault. */
export class LogUnavailable extends Schema.TaggedError<LogUnavailable>()("LogUnavailable", {
  cause: Schema.Defect()
}) {}

/** Maximum number of events in one page or chunk. */
export const MAX_PAGE = 200

/** Port: reads the logs of sessions. None: this app has no such session. */
export class EventLog extends Context.Service<
  EventLog,
  {
    readonly read: (
      format: "json" | "sse",
      position: LogPosition,
      limit: number
    ) => Effect.Effect<Option.Option<LogChunk>, LogUnavailable>
    /** The last cursor of each of these sessions. */
    readonly tails: (
      sessions: ReadonlyArray<{ readonly appId: string; readonly sessionId: string }>
    ) => Effect.Effect<ReadonlyArray<LogChange>, LogUnavailable>
  }
>()("channels/event-log/EventLog") {}
