import { newId } from "#pipeline/domain/Id.ts"
import type { SettleColumns } from "./settleStatements.ts"
import { costOf, stageRow } from "./stageRows.ts"
import { eventsOf } from "./turnEvents.ts"
import type { Settlement } from "./Turns.ts"

const OUTCOME_NAME = { Replied: "replied", Withheld: "withheld", Exited: "exited", Failed: "failed" } as const

/** Finished turns as columns for their single write. */
export const toSettleColumns = (batch: ReadonlyArray<Settlement>): SettleColumns => {
  const events = batch.flatMap(({ lease, outcome, proactive = null }, index) =>
    eventsOf(outcome, lease.turnIndex, proactive).map((event, nth) => ({ of: index + 1, offset: nth + 1, event }))
  )
  return {
    app: batch.map(({ lease }) => lease.appId),
    session: batch.map(({ lease }) => lease.sessionId),
    turn: batch.map(({ lease }) => lease.turnIndex),
    owner: batch.map(({ lease }) => lease.owner),
    fence: batch.map(({ lease }) => lease.fence),
    outcome: batch.map(({ outcome }) => OUTCOME_NAME[outcome._tag]),
    reason: batch.map(({ outcome }) =>
      outcome._tag === "Failed" ? outcome.reason : outcome._tag === "Withheld" ? (outcome.by ?? null) : null
    ),
    cost: batch.map(({ stages }) => costOf(stages)),
    stageCount: batch.map(({ stages }) => stages.length),
    events: {
      of: events.map((entry) => entry.of),
      offset: events.map((entry) => entry.offset),
      id: events.map(() => newId("evt")),
      type: events.map(({ event }) => event.type),
      role: events.map(({ event }) => event.role),
      payload: events.map(({ event }) => JSON.stringify(event.payload))
    },
    stages: JSON.stringify(
      batch.flatMap(({ stages }, index) => stages.map((record, seq) => stageRow(record, index + 1, seq)))
    )
  }
}
