import type { ChatMessage } from "#pipeline/chat.ts"
import { type CallFailed, REFUSED_OWN_JSON } from "./failure.ts"
import { type Learned, type Manner, otherThan } from "./learned.ts"
import { shorter } from "./shorter.ts"

/** A request as it would be sent now, and what has been changed about it since the question was put. */
export interface Attempt {
  readonly messages: ReadonlyArray<ChatMessage>
  readonly manner: Manner
  /** How many messages of the history have been dropped. */
  readonly dropped: number
  readonly hasOtherLengthName: boolean
  /** The lower rung is for this question alone. */
  readonly isRungOnce: boolean
  /** The server has not said that it refuses the format: its failures have no other reason that we know. */
  readonly isRungGuessed: boolean
  /** The context of the model in tokens, if the server has named it. */
  readonly context: number | null
  /** How many further changes are allowed. */
  readonly changesLeft: number
}

/** Enough for every format, the name and size of one parameter, two others, and a history of a hundred messages. */
const MAX_CHANGES = 14

export const firstAttempt = (messages: ReadonlyArray<ChatMessage>, manner: Manner): Attempt => ({
  messages,
  manner,
  dropped: 0,
  hasOtherLengthName: false,
  isRungOnce: false,
  isRungGuessed: false,
  context: null,
  changesLeft: MAX_CHANGES
})

/** What a request that worked says about its server. */
export const learnedFrom = ({ manner, isRungOnce }: Attempt): Manner => (isRungOnce ? { ...manner, rung: 0 } : manner)

interface Asked {
  readonly isPlain: boolean
  /** Whether the server has taken a format. */
  readonly takesFormat: boolean
  /** Whether the messages between the first and the last are a history that may be shortened. */
  readonly hasHistory: boolean
  readonly maxTokens: number
}

const withManner = (attempt: Attempt, change: Partial<Manner>): Attempt => ({
  ...attempt,
  manner: { ...attempt.manner, ...change }
})

const changed = (
  attempt: Attempt,
  failure: CallFailed,
  { isPlain, takesFormat, hasHistory, maxTokens }: Asked,
  learned: Learned
) => {
  const { manner } = attempt
  switch (failure.parameter) {
    case "length_name":
      return attempt.hasOtherLengthName
        ? null
        : { ...withManner(attempt, { lengthName: otherThan(manner.lengthName) }), hasOtherLengthName: true }
    case "length_value":
      return failure.limit === null || failure.limit >= Math.min(maxTokens, manner.longest ?? maxTokens)
        ? null
        : withManner(attempt, { longest: failure.limit })
    case "sampling":
      return manner.takesSampling ? withManner(attempt, { takesSampling: false }) : null
    case "system_role":
      return manner.takesSystemRole ? withManner(attempt, { takesSystemRole: false }) : null
    case "thinking":
      return manner.mayThink ? withManner(attempt, { mayThink: false }) : null
    case null:
      break
  }
  if (failure.failure === "context_overflow" || failure.failure === "too_large") {
    const less = hasHistory ? shorter(attempt.messages) : null
    return less === null
      ? null
      : { ...attempt, messages: less.messages, dropped: attempt.dropped + less.dropped, context: failure.limit }
  }
  const lowest = learned.rungs.length - 1
  if (isPlain || manner.rung >= lowest) return null
  if (failure.format)
    return {
      ...withManner(attempt, { rung: manner.rung + 1 }),
      isRungOnce: attempt.isRungOnce || failure.code === REFUSED_OWN_JSON
    }
  // Whether it was the format shows when it is left out. In an outage, that fails as well.
  return failure.isUnexplained && !takesFormat
    ? { ...withManner(attempt, { rung: failure.passing ? lowest : manner.rung + 1 }), isRungGuessed: true }
    : null
}

/** The next request after a failure: without what the server refused. Null: nothing can be left out. */
export const adapt = (attempt: Attempt, failure: CallFailed, asked: Asked, learned: Learned): Attempt | null => {
  if (attempt.changesLeft === 0) return null
  const next = changed(attempt, failure, asked, learned)
  return next === null ? null : { ...next, changesLeft: attempt.changesLeft - 1 }
}
