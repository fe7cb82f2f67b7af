import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { CallFailed } from "./failure.ts"
import { type Rung, RUNGS_OF } from "./Format.ts"
import type { JsonMode } from "./jsonModes.ts"

/**
 * How many answers in a row must lack JSON before a lower rung is used. One bad answer says nothing about the server.
 */
const MAX_UNSTRUCTURED = 3
/** How long a lower rung is used before higher ones are tried again. */
const KEPT_MS = 10 * 60_000

const NO_JSON =
  "the model has written no JSON several times in a row, so its replies fail; for a small model, set OPENAI_JSON=none"

/**
 * How to request structure from one model at one address. Uses a lower rung if the server rejects a format and then
 * answers without it, or has ignored the format several times in a row. After a while, tries the highest rung again.
 */
export interface Ladder {
  readonly current: Effect.Effect<Rung>
  /** Asks on the current rung, and on lower ones while the server rejects the format. */
  readonly descend: <A, R>(ask: (rung: Rung) => Effect.Effect<A, CallFailed, R>) => Effect.Effect<A, CallFailed, R>
  /** Records whether an answer that should be JSON was JSON. */
  readonly noteAnswer: (structured: boolean) => Effect.Effect<void>
}

export const makeLadder = (mode: JsonMode): Ladder => {
  const rungs = RUNGS_OF[mode]
  const last = rungs.length - 1
  let lowest = 0
  let keptUntil = 0
  let unstructured = 0

  const at = Effect.map(Clock.currentTimeMillis, (now) => {
    if (lowest > 0 && now >= keptUntil) {
      lowest = 0
      unstructured = 0
    }
    return lowest
  })
  const keep = (rung: number) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      if (rung <= lowest) return
      lowest = rung
      unstructured = 0
      keptUntil = now + KEPT_MS
    })
  const rungAt = (index: number): Rung => rungs[index] ?? "text"

  return {
    current: Effect.map(at, rungAt),
    descend: (ask) => {
      const from = (index: number): ReturnType<typeof ask> =>
        ask(rungAt(index)).pipe(
          // A refusal with another cause is repeated on every rung, so it does not change the rung.
          Effect.tap(() => keep(index)),
          Effect.catch((failure) => (failure.format && index < last ? from(index + 1) : Effect.fail(failure)))
        )
      return Effect.flatMap(at, from)
    },
    noteAnswer: (structured) =>
      Effect.flatMap(at, (index) => {
        unstructured = structured ? 0 : unstructured + 1
        if (index < last) return unstructured >= MAX_UNSTRUCTURED ? keep(index + 1) : Effect.void
        return unstructured === MAX_UNSTRUCTURED ? Effect.logWarning(NO_JSON) : Effect.void
      })
  }
}
