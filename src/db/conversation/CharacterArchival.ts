import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import type { Payload } from "#pipeline/domain/Event.ts"
import { newId } from "#pipeline/domain/Id.ts"
import { lockAllowances } from "#src/db/billing/moneyStatements.ts"
import { Characters, type StoredCharacter } from "#src/db/character/Characters.ts"
import { advanceLaneHeads } from "#src/db/delivery/advanceLaneHeads.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { settleEndedSessions } from "./settleEndedSessions.ts"

const REASON = "character_archived"
const exited: Payload<"session.exited"> = { reason_code: REASON }

interface LogRow {
  readonly session_id: string
  readonly last_cursor: number
}

/** Archives a character and, if requested, ends its sessions, in one transaction. */
export class CharacterArchival extends Context.Service<
  CharacterArchival,
  {
    /**
     * Its sessions continue unless they are to be ended. In that case each gets a `session.exited`. Undefined: no such
     * character.
     */
    readonly archive: (
      appId: string,
      slug: string,
      endSessions: boolean
    ) => Effect.Effect<StoredCharacter | undefined, DatabaseError>
  }
>()("src/db/conversation/CharacterArchival") {
  static readonly layer = Layer.effect(
    CharacterArchival,
    Effect.gen(function* () {
      const { query, transaction, afterCommit } = yield* Database
      const characters = yield* Characters
      const signals = yield* LogSignals

      const endSessionsOf = Effect.fnUntraced(function* (appId: string, slug: string) {
        const all = yield* query<Array<{ session_id: string }>>(
          (sql) => sql`select session_id from sessions where app_id = ${appId} and character_slug = ${slug}`
        )
        yield* query((sql) =>
          lockAllowances(
            sql,
            all.map(() => appId),
            all.map((row) => row.session_id)
          )
        )
        const active = yield* query<Array<{ session_id: string }>>(
          (sql) => sql`
        select l.session_id from session_logs l
        where l.app_id = ${appId} and l.status = 'active'
          and l.session_id = any(${all.map((row) => row.session_id)}::text[])
        order by l.session_id for no key update`
        )
        const sessions = active.map((row) => row.session_id)
        const ended = yield* query<Array<LogRow>>(
          (sql) => sql`
        with ended as (
          update session_logs set status = 'exited', exited_at = now(),
            exit_reason = ${REASON}, last_cursor = last_cursor + 1
          where app_id = ${appId} and session_id = any(${sessions}::text[]) returning session_id, last_cursor
        ), said as (
          insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
          select ${appId}, session_id, last_cursor, ids.event_id, 'session.exited', 'system', ids.run_ref, 'system',
            ${JSON.stringify(exited)}::text::json
          from ended join unnest(${sessions}::text[],
            ${sessions.map(() => newId("evt"))}::text[],
              ${sessions.map(() => newId("run"))}::text[]) as ids(session_id, event_id, run_ref) using (session_id)
        )
        select session_id, last_cursor from ended`
        )
        yield* query((sql) =>
          settleEndedSessions(
            sql,
            sessions.map(() => appId),
            sessions
          )
        )
        yield* query((sql) =>
          advanceLaneHeads(
            sql,
            sessions.map(() => appId),
            sessions
          )
        )
        return ended.map((row) => ({ sessionId: row.session_id, cursor: row.last_cursor }))
      })

      const archive = Effect.fnUntraced(
        function* (appId: string, slug: string, endSessions: boolean) {
          yield* characters.archive(appId, slug)
          const ended = endSessions ? yield* endSessionsOf(appId, slug) : []
          return { character: yield* characters.get(appId, slug), ended }
        },
        transaction,
        Effect.flatMap(({ character, ended }) =>
          Effect.as(
            afterCommit(() => signals.announce(ended, true)),
            character
          )
        )
      )

      return CharacterArchival.of({ archive })
    })
  )
}
