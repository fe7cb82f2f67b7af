import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { newId } from "#pipeline/domain/Id.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"
import type { Database } from "#src/db/postgres/Database.ts"
import { type Batch, writeDecision } from "./proactiveStatements.ts"

/** When a session is checked again if its checks have crashed their processes too often. */
const GIVEN_UP_FOR_MS = 24 * 3_600_000
/** What its decision says then. */
const CRASHED = "crashed"

/** Skips a session of a batch whose checks have crashed their processes too often, without reading it. */
export const makeGiveUpCheck = ({ query, transaction }: Context.Service.Shape<typeof Database>) =>
  Effect.fnUntraced(function* (session: SessionRef, { until }: Batch) {
    const now = yield* Clock.currentTimeMillis
    const next = new Date(now + GIVEN_UP_FOR_MS).toISOString()
    const mine = yield* query(
      (sql) => sql`
      update relationships set check_lease = null, initiate_at = ${next}::timestamptz
        where app_id = ${session.appId} and session_id = ${session.sessionId}
          and initiate_at = ${until}::timestamptz returning 1`
    )
    if (mine.length === 0) return
    yield* query((sql) =>
      writeDecision(sql, session, {
        decisionId: newId("dec"),
        at: new Date(now).toISOString(),
        reason: null,
        skippedBy: CRASHED,
        turnIndex: null,
        nextEligibleAt: next
      })
    )
    yield* Effect.logError("proactive check given up: it crashed its process too often").pipe(
      Effect.annotateLogs({ app_id: session.appId, session_id: session.sessionId })
    )
  }, transaction)
