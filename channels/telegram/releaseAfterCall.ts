import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { BotApiError } from "./BotApi.ts"
import type { Pace, PacedChat, UnderWay } from "./Pace.ts"

/** The call or its connection was aborted, so it may still arrive. */
const mayComeInYet = (exit: Exit.Exit<unknown, BotApiError>): boolean =>
  Exit.isFailure(exit) &&
  Option.match(Exit.findErrorOption(exit), {
    onNone: () => true,
    onSome: ({ kind, status }) => kind === "ambiguous" && status === null
  })

/**
 * Runs a call that is visible in a chat. Later calls are counted from its end. If it may still arrive, they are counted
 * from the assumed end if that is later.
 */
export const counted = <A>(
  pace: Pace["Service"],
  ref: PacedChat,
  underWay: UnderWay | null,
  call: Effect.Effect<A, BotApiError>
): Effect.Effect<A, BotApiError> =>
  underWay === null
    ? call
    : Effect.onExit(call, (exit) =>
        Effect.ignore(pace.returned(ref, mayComeInYet(exit) ? { ...underWay, aheadMs: 0 } : underWay))
      )
