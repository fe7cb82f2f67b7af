import type { NewEvent } from "#pipeline/domain/Event.ts"
import type { Initiative } from "#pipeline/domain/Initiative.ts"
import type { Outcome } from "#pipeline/domain/Turn.ts"

/**
 * What a turn that answers nobody puts on the log: its words, or nothing. Its failure is nobody's concern who reads
 * along.
 */
const initiatedBy = (outcome: Outcome, { reason }: Initiative): ReadonlyArray<NewEvent> =>
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

/** What a finished turn puts on the log. */
export const eventsOf = (outcome: Outcome, turnIndex: number, initiative: Initiative | null): ReadonlyArray<NewEvent> =>
  initiative === null ? answeredBy(outcome, turnIndex) : initiatedBy(outcome, initiative)
