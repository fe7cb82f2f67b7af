import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { NotIntended } from "../Channel.ts"
import type { BotApiError } from "./BotApi.ts"
import type { Pace, InFlightCall } from "./Pace.ts"
import type { ChatRef } from "./TelegramChats.ts"

/** The call or its connection was aborted, so it may still arrive. */
const mayArriveLater = (exit: Exit.Exit<unknown, BotApiError | NotIntended>): boolean =>
  Exit.isFailure(exit) &&
  Option.match(Exit.findErrorOption(exit), {
    onNone: () => true,
    onSome: (error) => error._tag === "BotApiError" && error.kind === "ambiguous" && error.status === null
  })

/**
 * Runs a call that is visible in a chat. Later calls are counted from its end. If it may still arrive, they are counted
 * from the assumed end if that is later.
 */
export const releaseAfterCall = <A, E extends BotApiError | NotIntended>(
  pace: Pace["Service"],
  ref: ChatRef,
  inFlight: InFlightCall | null,
  call: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  inFlight === null
    ? call
    : Effect.onExit(call, (exit) =>
        Effect.ignore(pace.release(ref, mayArriveLater(exit) ? { ...inFlight, aheadMs: 0 } : inFlight))
      )
