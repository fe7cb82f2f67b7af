import type { NewEvent } from "#pipeline/domain/Event.ts"
import type { ProactiveBrief } from "#pipeline/domain/ProactiveBrief.ts"
import type { Outcome } from "#pipeline/domain/Turn.ts"

/**
 * The log events of a turn that answers no message: its messages, or nothing. Readers of the log are not shown its
 * failure.
 */
const proactiveReasonOf = (outcome: Outcome, { reason }: ProactiveBrief): ReadonlyArray<NewEvent> =>
  outcome._tag !== "Replied"
    ? []
    : [
        {
          type: "character.initiated",
          role: "character",
          payload: { text: outcome.bubbles.join("\n"), bubbles: outcome.bubbles, kind: "proactive", reason }
        }
      ]

const answeredBy = (outcome: Outcome, turnIndex: number): ReadonlyArray<NewEvent> => {
  const said = (bubbles: ReadonlyArray<string>): ReadonlyArray<NewEvent> =>
    bubbles.length === 0
      ? []
      : [
          {
            type: "message.created",
            role: "character",
            payload: { text: bubbles.join("\n"), bubbles, turn_index: turnIndex }
          }
        ]
  switch (outcome._tag) {
    case "Replied":
      return said(outcome.bubbles)
    case "Withheld":
      return []
    case "Exited":
      return [
        ...said(outcome.bubbles),
        { type: "session.exited", role: "system", payload: { reason_code: outcome.reasonCode } }
      ]
    case "Failed":
      return [
        {
          type: "message.failed",
          role: "system",
          payload: { turn_index: turnIndex, reason: outcome.reason, recoverable: true }
        }
      ]
  }
}

/** The log events of a finished turn. */
export const eventsOf = (outcome: Outcome, turnIndex: number, brief: ProactiveBrief | null): ReadonlyArray<NewEvent> =>
  brief === null ? answeredBy(outcome, turnIndex) : proactiveReasonOf(outcome, brief)
