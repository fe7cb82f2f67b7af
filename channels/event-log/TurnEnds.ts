import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { LogUnavailable } from "./EventLog.ts"
import type { WatchedSession } from "./LogSignals.ts"

export const TURN_OUTCOMES = ["replied", "withheld", "exited", "failed"] as const

export interface TurnEnd {
  readonly runRef: string
  /** Null: the turn has not ended. */
  readonly outcome: (typeof TURN_OUTCOMES)[number] | null
}

/** Port: how a turn ended. A turn and its events on the log end in one transaction. Undefined: no such turn. */
export class TurnEnds extends Context.Service<
  TurnEnds,
  {
    readonly find: (session: WatchedSession, runRef: string) => Effect.Effect<TurnEnd | undefined, LogUnavailable>
  }
>()("channels/event-log/TurnEnds") {}
