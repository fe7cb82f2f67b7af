import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { BotApiError } from "./BotApi.ts"
import type { Pace, PacedChat } from "./Pace.ts"

const mayComeInYet = (exit: Exit.Exit<unknown, BotApiError>): boolean =>
  Exit.isFailure(exit) && Option.match(Exit.findErrorOption(exit), { onNone: () => true, onSome: ({ kind, status }) => kind === "ambiguous" && status === null })

/** A call that a chat sees, and that has departed: what follows it is counted from its end, however it ends. */
export const counted = <A>(pace: Pace["Service"], ref: PacedChat, call: Effect.Effect<A, BotApiError>): Effect.Effect<A, BotApiError> =>
  Effect.onExit(call, (exit) => Effect.ignore(mayComeInYet(exit) ? pace.lost(ref) : pace.returned(ref)))
