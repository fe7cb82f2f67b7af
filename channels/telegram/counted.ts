import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { BotApiError } from "./BotApi.ts"
import type { Pace, PacedChat, UnderWay } from "./Pace.ts"

/** Broken off, or its connection was: it may come in yet. */
const mayComeInYet = (exit: Exit.Exit<unknown, BotApiError>): boolean =>
  Exit.isFailure(exit) &&
  Option.match(Exit.findErrorOption(exit), {
    onNone: () => true,
    onSome: ({ kind, status }) => kind === "ambiguous" && status === null
  })

/**
 * A call that a chat sees, and that has departed: what follows it is counted from its end, or as if it took its time,
 * whichever is later where it may come in yet.
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
