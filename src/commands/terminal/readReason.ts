import * as Effect from "effect/Effect"
import { BadArgument } from "./BadArgument.ts"

const MAX_OF_REASON = 200

/** The operator's reason, shown to the affected apps. Null: none was given. */
export const readReason = (text: string | undefined) => {
  if (text === undefined) return Effect.succeed(null)
  const reason = text.trim()
  return reason !== "" && [...reason].length <= MAX_OF_REASON && reason.isWellFormed() && !reason.includes("\0")
    ? Effect.succeed(reason)
    : Effect.fail(new BadArgument({ problem: `--reason must be 1 to ${MAX_OF_REASON} characters` }))
}
