import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readHistory } from "#pipeline/relational/readHistory.ts"
import type { Utterance } from "#pipeline/retrieval/Transcript.ts"
import { lockSessions } from "#src/db/billing/moneyStatements.ts"
import { SpokenWith } from "#src/db/conversation/SpokenWith.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { Relationships } from "./Relationships.ts"

/** Messages per transaction. Few, because rules read them while the session is locked. */
const READ_AT_ONCE = 40
/** How many messages before them are read for pronouns and short answers. */
const BEFORE = 6

interface Row {
  readonly cursor: number
  readonly role: "user" | "character"
  readonly text: string
  readonly at: Date
}

/** Extracts memories from messages of a conversation that was held elsewhere. */
export class HistoryReadings extends Context.Service<
  HistoryReadings,
  {
    /**
     * Reads the next few messages from this cursor on. Returns the cursor after them. Null: there are none up to `to`,
     * or the session is gone.
     */
    readonly read: (session: SessionRef, from: number, to: number) => Effect.Effect<number | null, DatabaseError>
  }
>()("src/db/memory/HistoryReadings") {
  static readonly layer = Layer.effect(
    HistoryReadings,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database
      const relationships = yield* Relationships
      const spoken = yield* SpokenWith

      const said = ({ appId, sessionId }: SessionRef, from: number, to: number) =>
        query<Array<Row>>(
          (sql) => sql`
        select cursor::int as cursor, role, payload ->> 'text' as text, created_at as at from events
        where app_id = ${appId} and session_id = ${sessionId} and source_kind = 'history'
          and cursor >= ${from}::bigint and cursor <= ${to}::bigint
        order by cursor limit ${READ_AT_ONCE + BEFORE}::int`
        )

      const read = Effect.fnUntraced(function* (session: SessionRef, from: number, to: number) {
        // Locks against an erasure, which would otherwise miss what is written at the same time.
        const [log] = yield* query((sql) => lockSessions(sql, [session.appId], [session.sessionId]))
        const now = log === undefined ? undefined : yield* spoken.in(session)
        if (now === undefined) return null
        const rows: ReadonlyArray<Utterance> = yield* said(session, from - BEFORE, to)
        const next = rows.filter(({ cursor }) => cursor >= from).slice(0, READ_AT_ONCE)
        const last = next.at(-1)
        if (last === undefined) return null
        yield* relationships.amend(session, (known) =>
          Effect.sync(() => ({
            at: last.at,
            patch: readHistory(known, {
              sessionId: session.sessionId,
              character: now.character,
              endUser: now.endUser,
              before: rows.filter(({ cursor }) => cursor < from),
              said: next
            })
          }))
        )
        return last.cursor >= to ? null : last.cursor + 1
      }, transaction)

      return HistoryReadings.of({ read })
    })
  )
}
