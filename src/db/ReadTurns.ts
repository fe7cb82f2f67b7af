import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import { addressed } from "#pipeline/domain/addressed.ts"
import type { Payload } from "#pipeline/domain/Event.ts"
import { newId } from "#pipeline/domain/Id.ts"
import type { StageRecord } from "#pipeline/domain/Turn.ts"
import type { ReadTurn } from "#pipeline/relational/Extractor.ts"
import { EMPTY_PATCH, type Patch } from "#pipeline/relational/Patch.ts"
import type { Relationship } from "#pipeline/relational/Relationship.ts"
import type { Utterance } from "#pipeline/retrieval/Transcript.ts"
import { lockSessions } from "./acceptStatements.ts"
import { Database, type DatabaseError } from "./Database.ts"
import { CharacterVersions } from "./CharacterVersions.ts"
import { lockAllowances } from "./moneyStatements.ts"
import { moveHeads } from "./moveHeads.ts"
import { Relationships } from "./Relationships.ts"
import { SessionStories } from "./SessionStories.ts"
import { addReadingJobs } from "./turnJobs.ts"
import { type SessionRef, stageRow } from "./Turns.ts"
import { writeAfterwards } from "./turnStatements.ts"

/** What is read with a turn, of what was said before it. */
const HISTORY_UTTERANCES = 12

const PUT_OFF_MS = 1000

interface Row {
  readonly turn_index: number
  readonly run_ref: string
  readonly outcome: ReadTurn["outcome"]
  readonly character_slug: string
  readonly character_version: number
  readonly external_user_ref: string
  readonly display_name: string | null
  readonly timezone: string | null
  readonly locale: string | null
  readonly age_band: "adult" | "minor" | "unknown"
  readonly exposes: boolean
  readonly is_last: boolean
  readonly recalled: ReadonlyArray<string>
  readonly said: ReadonlyArray<readonly ["user" | "character", string, number, number, boolean]> | null
  readonly ended_at: Date
  /** Whether its character has storylines. */
  readonly storied: boolean
}

export interface Unread {
  readonly turn: ReadTurn
  /** The memories that its reply leaned on. */
  readonly recalled: ReadonlyArray<string>
  /** Whether the app has opted in to seeing scores. */
  readonly exposes: boolean
  /** Whether there was no later turn: one that comes now asks to be read by itself. */
  readonly isLast: boolean
  /** Whether there are stories that may go on by it. */
  readonly storied: boolean
}

export interface Reading {
  readonly session: SessionRef
  readonly turn: ReadTurn
  readonly storied: boolean
  /** Against the relationship as it stands now. */
  readonly decide: (known: Relationship) => Patch
  /** How it was read, and what that has cost. */
  readonly record: StageRecord
  readonly at: Date
  /** What the app is told of, if it has opted in. */
  readonly scores: (after: Relationship) => Payload<"relationship_score.changed"> | null
}

/** The turns of a session that have ended, as they are read one after another for what they tell of the two. */
export class ReadTurns extends Context.Service<ReadTurns, {
  /** The first that has not been read yet. */
  readonly next: (session: SessionRef) => Effect.Effect<Unread | undefined, DatabaseError>
  /** Writes what was read: the patch, its stage and its cost, and the event of the scores, at once. A turn that somebody else has read meanwhile is left as it is; what this reading has cost is booked all the same. */
  readonly write: (reading: Reading) => Effect.Effect<void, DatabaseError>
  /** Has these sessions looked at in a while. */
  readonly putOff: (sessions: ReadonlyArray<SessionRef>) => Effect.Effect<void, DatabaseError>
}>()("src/db/ReadTurns") {
  static readonly layer = Layer.effect(ReadTurns, Effect.gen(function*() {
    const { pool, query, transaction, afterCommit } = yield* Database
    const characters = yield* CharacterVersions
    const relationships = yield* Relationships
    const stories = yield* SessionStories
    const signals = yield* LogSignals

    const next = Effect.fnUntraced(function*({ appId, sessionId }: SessionRef) {
      const [row] = yield* query<Array<Row>>((sql) => sql`
        with t as (
          select t.*, s.external_user_ref, s.character_slug from turns t join sessions s using (app_id, session_id)
          where t.app_id = ${appId} and t.session_id = ${sessionId}
            and t.turn_index > coalesce((select r.read_turn from relationships r where r.app_id = ${appId} and r.session_id = ${sessionId}), 0)
          order by t.turn_index limit 1
        ), ended as (
          select t.turn_index, coalesce(max(e.cursor), t.cursor) as cursor, max(e.created_at) as at
          from t left join events e on e.app_id = t.app_id and e.session_id = t.session_id and e.cursor >= t.cursor and e.trace_id = t.run_ref and e.type <> 'relationship_score.changed' group by t.turn_index, t.cursor
        )
        select t.turn_index, t.run_ref, t.outcome, t.character_slug, coalesce(t.character_version, c.version) as character_version, t.external_user_ref, u.display_name, u.timezone, u.locale, u.age_band,
          a.expose_relational_numerics as exposes,
          not exists (select from turns later where later.app_id = t.app_id and later.session_id = t.session_id and later.turn_index > t.turn_index) as is_last, coalesce(n.at, t.settled_at) as ended_at,
          exists (select from storylines y where y.app_id = t.app_id and y.slug = t.character_slug) as storied,
          coalesce((select json_agg(distinct m ->> 'id') from turn_stages g cross join json_array_elements(g.detail -> 'memories') m
            where g.app_id = t.app_id and g.session_id = t.session_id and g.turn_index = t.turn_index and g.stage = 'retrieval' and starts_with(m ->> 'id', 'mem_')), '[]') as recalled,
          (
            select json_agg(json_build_array(e.role, e.payload ->> 'text', e.cursor, floor(extract(epoch from e.created_at) * 1000), e.trace_id = t.run_ref) order by e.cursor)
            from (
              select * from events e where e.app_id = t.app_id and e.session_id = t.session_id and e.type in ('message.created', 'character.initiated')
                and e.cursor <= n.cursor and (e.role = 'character' or e.cursor <= t.cursor)
              order by e.cursor desc limit ${pool.unsafe(String(HISTORY_UTTERANCES + 2))}
            ) e
          ) as said
        from t join ended n using (turn_index) join apps a on a.app_id = t.app_id join characters c on c.app_id = t.app_id and c.slug = t.character_slug
          join end_users u on u.app_id = t.app_id and u.external_user_ref = t.external_user_ref
        where t.outcome is not null`)
      if (row === undefined) return undefined
      const said = (row.said ?? []).map(([role, text, cursor, at, own]): Utterance & { readonly own: boolean } => ({ role, text, cursor, at: new Date(at), own }))
      const bare = ({ role, text, cursor, at }: Utterance): Utterance => ({ role, text, cursor, at })
      const ownBy = (wanted: Utterance["role"]): Utterance | null => {
        const found = said.find(({ own, role }) => own && role === wanted)
        return found === undefined ? null : bare(found)
      }
      const character = addressed(yield* characters.get(appId, row.character_slug, row.character_version), row.display_name)
      return {
        recalled: row.recalled,
        exposes: row.exposes,
        isLast: row.is_last,
        storied: row.storied,
        turn: {
          sessionId,
          turnIndex: row.turn_index,
          character,
          endUser: { externalUserRef: row.external_user_ref, displayName: row.display_name, timezone: row.timezone, locale: row.locale, ageBand: row.age_band },
          outcome: row.outcome,
          history: said.filter(({ own }) => !own).slice(-HISTORY_UTTERANCES).map(bare),
          message: ownBy("user"),
          reply: ownBy("character"),
          at: row.ended_at
        }
      } satisfies Unread
    })

    // The app may have opted out while the turn was read.
    const tell = Effect.fnUntraced(function*({ appId, sessionId }: SessionRef, turnIndex: number, payload: Payload<"relationship_score.changed">) {
      const [row] = yield* query<Array<{ last_cursor: number }>>((sql) => sql`
        with counted as (
          update session_logs set last_cursor = last_cursor + 1 where app_id = ${appId} and session_id = ${sessionId}
            and exists (select from apps where app_id = ${appId} and expose_relational_numerics) returning last_cursor
        ), appended as (
          insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
          select t.app_id, t.session_id, c.last_cursor, ${newId("evt")}, 'relationship_score.changed', 'system', t.run_ref, 'system', ${JSON.stringify(payload)}::text::json
          from counted c join turns t on t.app_id = ${appId} and t.session_id = ${sessionId} and t.turn_index = ${turnIndex}::int
        )
        select last_cursor from counted`)
      const moved = yield* query<ReadonlyArray<unknown>>((sql) => moveHeads(sql, [appId], [sessionId]))
      if (row !== undefined) yield* afterCommit(() => signals.announce([{ sessionId, cursor: row.last_cursor }], moved.length > 0))
    })

    const write = Effect.fnUntraced(function*({ session, turn, storied, decide, record, at, scores }: Reading) {
      const { appId, sessionId } = session
      const { turnIndex, character, message } = turn
      const cost = record.usage?.costMicroUsd ?? 0
      if (cost > 0) yield* query((sql) => lockAllowances(sql, [appId], [sessionId]))
      const [log] = yield* query<ReadonlyArray<unknown>>((sql) => lockSessions(sql, [appId], [sessionId]))
      // The session was erased while its turn was read.
      if (log === undefined) return
      let fresh = false
      const after = yield* relationships.amend(session, Effect.fnUntraced(function*(known) {
        fresh = known.readTurn < turnIndex
        if (!fresh) return { at, patch: EMPTY_PATCH }
        const patch = decide(known)
        // Stories go on with what the person says.
        const told = storied && message !== null ? yield* stories.goOn({ ...session, slug: character.slug }, character, known, patch, { at, turnIndex, message: message.text, trigger: null }) : patch
        return { at, patch: told, turnIndex }
      }))
      yield* query((sql) => writeAfterwards(sql, { app: appId, session: sessionId, turn: turnIndex, stage: JSON.stringify([stageRow(record, 1, 0)]), cost }))
      const payload = fresh ? scores(after) : null
      if (payload !== null) yield* tell(session, turnIndex, payload)
    }, transaction)

    const putOff = (sessions: ReadonlyArray<SessionRef>) => Effect.asVoid(query((sql) => sql`
      select ${addReadingJobs(sql, sessions.map(({ appId }) => appId), sessions.map(({ sessionId }) => sessionId), PUT_OFF_MS)}`))

    return ReadTurns.of({ next, write, putOff })
  }))
}
