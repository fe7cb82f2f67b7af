import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import type { Payload } from "#pipeline/domain/Event.ts"
import { nextGreeting } from "#pipeline/domain/greeting.ts"
import { ProactiveControls } from "#pipeline/domain/Character.ts"
import { newId } from "#pipeline/domain/Id.ts"
import { fillMacros } from "#pipeline/domain/macros.ts"
import { controlsOf, isOn } from "#pipeline/proactive/controls.ts"
import { openLanes } from "#src/db/delivery/alignLanes.ts"
import { Characters, type StoredCharacter } from "#src/db/character/Characters.ts"
import { Database, type DatabaseError, MAX_TOGETHER } from "#src/db/postgres/Database.ts"
import { nextFeedPosition } from "#src/db/postgres/feedPosition.ts"
import { scheduleProactiveCheck } from "./proactiveChecks.ts"
import { isMarkedMinor } from "./personMarks.ts"
import { lastGreeting } from "./lastGreeting.ts"
import { advanceLaneHeads } from "#src/db/delivery/advanceLaneHeads.ts"
import { QuotaReached, quotasOf } from "#src/db/tenancy/quotas.ts"

export interface Session {
  readonly session_id: string
  readonly character_slug: string
  readonly character_version: number
  readonly external_user_ref: string
  readonly proactive_controls: Readonly<Record<string, unknown>>
  readonly metadata: Readonly<Record<string, unknown>>
  readonly status: "active" | "exited" | "archived"
  readonly exit_reason: string | null
  readonly exited_at: Date | null
  readonly last_cursor: number
  readonly turn_count: number
  readonly unanswered_character_turns: number
  readonly created_at: Date
  readonly last_user_at: Date | null
  readonly last_character_at: Date | null
  /** The turn that is being answered, or else the next in the queue. */
  readonly run_ref: string | null
}

export interface NewSession {
  readonly characterSlug: string
  readonly externalUserRef: string
  readonly proactiveControls: Partial<ProactiveControls>
  readonly metadata: object
  readonly endUser: {
    readonly display_name?: string | null | undefined
    readonly timezone?: string | null | undefined
    readonly locale?: string | null | undefined
    readonly age_band?: string | null | undefined
  }
  /**
   * Open a new session even if this person already has an active one with this character. Otherwise that one is
   * returned.
   */
  readonly newThread: boolean
  /** The seed for choosing the greeting, if it is not the session. */
  readonly seed?: string
  /** The person asked for another conversation, and is not greeted once more in the words of the last one. */
  readonly startsOver?: boolean
}

export interface SessionFilter {
  readonly characterSlug: string | null
  readonly externalUserRef: string | null
  readonly status: string | null
  /** Sessions older than this one. */
  readonly before: string | null
  readonly limit: number
}

const readThresholds = Schema.decodeUnknownSync(ProactiveControls)

/** Why no session can be opened with a character: it does not exist, is archived, or is not ready. */
export class CharacterUnavailable extends Schema.TaggedError<CharacterUnavailable>()("CharacterUnavailable", {
  reason: Schema.Literals(["not_found", "archived", "not_ready"])
}) {}

/** Why no new session may be opened with an existing character. */
const closedBy = ({ status, readiness }: StoredCharacter) =>
  status === "archived" ? "archived" : readiness === "blocked" ? "not_ready" : null

/** Persistent threads between one person and one character. */
export class Sessions extends Context.Service<
  Sessions,
  {
    /** Opens a session and posts the author's greeting, if any, in one transaction. */
    readonly create: (
      appId: string,
      session: NewSession
    ) => Effect.Effect<
      { readonly session: Session; readonly created: boolean },
      CharacterUnavailable | QuotaReached | DatabaseError
    >
    readonly get: (appId: string, sessionId: string) => Effect.Effect<Session | undefined, DatabaseError>
    readonly list: (appId: string, filter: SessionFilter) => Effect.Effect<ReadonlyArray<Session>, DatabaseError>
    /**
     * Overrides proactive controls (contract 2.6). Null clears, and missing fields stay as they are. Undefined: no such
     * session.
     */
    readonly control: (
      appId: string,
      sessionId: string,
      changed: Readonly<Record<string, unknown>>
    ) => Effect.Effect<Session | undefined, DatabaseError>
  }
>()("src/db/conversation/Sessions") {
  static readonly layer = Layer.effect(
    Sessions,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction, afterCommit } = database
      const quotas = quotasOf(database)
      const characters = yield* Characters
      const signals = yield* LogSignals

      const select = (appId: string, filter: SessionFilter & { readonly sessionId: string | null }) =>
        query<Array<Session>>(
          (sql) => sql`
        select s.session_id, s.character_slug, c.version as character_version, s.external_user_ref,
          s.proactive_controls, s.metadata, s.created_at,
          l.status, l.exit_reason, l.exited_at, l.last_cursor, l.turn_count, l.unanswered_character_turns,
            l.last_user_at, l.last_character_at,
          (select t.run_ref from turns t where t.app_id = s.app_id and t.session_id = s.session_id
            and t.outcome is null order by t.turn_index limit 1) as run_ref
        from sessions s join session_logs l using (app_id, session_id) join characters c on c.app_id = s.app_id
          and c.slug = s.character_slug
        where s.app_id = ${appId}
          ${filter.sessionId === null ? sql`` : sql`and s.session_id = ${filter.sessionId}`}
          ${filter.before === null ? sql`` : sql`and s.session_id < ${filter.before}`}
          ${filter.characterSlug === null ? sql`` : sql`and s.character_slug = ${filter.characterSlug}`}
          ${filter.externalUserRef === null ? sql`` : sql`and s.external_user_ref = ${filter.externalUserRef}`}
          ${filter.status === null ? sql`` : sql`and l.status = ${filter.status}`}
        order by s.session_id desc limit ${filter.limit}`
        )
      const everything = { characterSlug: null, externalUserRef: null, status: null, before: null, limit: 1 }
      const get = (appId: string, sessionId: string) =>
        select(appId, { ...everything, sessionId }).pipe(Effect.map((rows) => rows[0]))

      const greet = (
        appId: string,
        sessionId: string,
        profile: StoredCharacter["profile"],
        user: string | null,
        seed: string,
        last: string | null
      ) => {
        const names = { character: String(profile["display_name"]), user, seed }
        const pick = createHash("sha256").update(seed).digest().readUInt32BE(0)
        const bubbles = nextGreeting(profile, pick, (bubble) => fillMacros(bubble, names), last)
        if (bubbles.length === 0) return []
        const payload: Payload<"character.initiated"> = { text: bubbles.join("\n"), bubbles, kind: "greeting" }
        return [
          query(
            (sql) => sql`
          insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload,
            feed_position)
          values (${appId}, ${sessionId}, 1,
            ${newId("evt")}, 'character.initiated', 'character',
              ${newId("run")}, 'greeting', ${JSON.stringify(payload)}::text::json, ${nextFeedPosition(sql, sql`0`)})`
          ),
          query(
            (sql) => sql`
          update session_logs set last_cursor = 1, feed_position = ${nextFeedPosition(sql, sql`0`)},
              unanswered_character_turns = 1, last_character_at = now()
            where app_id = ${appId} and session_id = ${sessionId}`
          ),
          query((sql) => advanceLaneHeads(sql, [appId], [sessionId]))
        ]
      }

      const create = Effect.fnUntraced(
        function* (appId: string, wanted: NewSession) {
          const [, , character, usedUp] = yield* Effect.all(
            [
              // Locks this first, as changes that affect all sessions of the app do: to their channels (openLanes) or
              // limits (Allowances).
              query((sql) => sql`select 1 from apps where app_id = ${appId} for share`),
              // A shared lock that conflicts with archiving. So archiving sees this session, or this sees that the
              // character is archived.
              query(
                (sql) =>
                  sql`select 1 from characters where app_id = ${appId} and slug = ${wanted.characterSlug} for share`
              ),
              characters.get(appId, wanted.characterSlug),
              quotas.isUsedUp(appId, "sessions")
            ],
            MAX_TOGETHER
          )
          if (character === undefined) return yield* new CharacterUnavailable({ reason: "not_found" })
          if (usedUp && wanted.newThread) return yield* new QuotaReached()
          const closed = closedBy(character)
          if (closed !== null && wanted.newThread) return yield* new CharacterUnavailable({ reason: closed })
          const { display_name = null, timezone = null, locale = null, age_band = null } = wanted.endUser
          const meet = [
            // This also locks the person's row, so that two requests for the same thread get the same session. A person
            // known to be a minor stays one when another session is opened.
            query(
              (sql) => sql`
          insert into end_users as u (app_id, external_user_ref, display_name, timezone, locale, age_band)
          values (${appId}, ${wanted.externalUserRef},
            ${display_name}, ${timezone}, ${locale}, case
              when ${isMarkedMinor(sql, appId, wanted.externalUserRef)} then 'minor'
                else coalesce(${age_band}, 'unknown') end)
          on conflict (app_id, external_user_ref) do update set display_name = coalesce(excluded.display_name,
            u.display_name),
            timezone = coalesce(excluded.timezone, u.timezone), locale = coalesce(excluded.locale, u.locale),
              age_band = case u.age_band when 'minor' then u.age_band else coalesce(${age_band}, u.age_band) end`
            ),
            // If all end-users of an app are limited, this one is, too: see Allowances.
            query(
              (sql) => sql`
          insert into allowances (app_id, kind, external_user_ref)
          select ${appId}, 'end_user', ${wanted.externalUserRef} where exists (select from allowances
            where app_id = ${appId} and kind = 'default') on conflict do nothing`
            )
          ]
          if (!wanted.newThread) {
            yield* Effect.all(meet, MAX_TOGETHER)
            const [present] = yield* select(appId, {
              ...everything,
              sessionId: null,
              characterSlug: wanted.characterSlug,
              externalUserRef: wanted.externalUserRef,
              status: "active"
            })
            if (present !== undefined) return { session: present, created: false }
            if (usedUp) return yield* new QuotaReached()
            if (closed !== null) return yield* new CharacterUnavailable({ reason: closed })
          }
          const sessionId = newId("ses")
          const last = wanted.startsOver === true ? yield* lastGreeting(database, appId, wanted) : null
          const authored = readThresholds(character.profile["behavioral_thresholds"] ?? {})
          const initiates = isOn(controlsOf(wanted.proactiveControls, authored).effective)
          yield* Effect.all(
            [
              ...(wanted.newThread ? meet : []),
              quotas.count(appId, "sessions"),
              query(
                (sql) => sql`
          insert into sessions (app_id, session_id, character_slug, external_user_ref, proactive_controls, metadata)
          values (${appId}, ${sessionId},
            ${wanted.characterSlug}, ${wanted.externalUserRef},
              ${JSON.stringify(wanted.proactiveControls)}::text::jsonb,
                ${JSON.stringify(wanted.metadata)}::text::jsonb)`
              ),
              query((sql) => sql`insert into session_logs (app_id, session_id) values (${appId}, ${sessionId})`),
              openLanes(appId, sessionId).pipe(Effect.provideService(Database, database)),
              ...greet(appId, sessionId, character.profile, display_name, wanted.seed ?? sessionId, last),
              ...(initiates ? [query((sql) => scheduleProactiveCheck(sql, { appId, sessionId }))] : [])
            ],
            MAX_TOGETHER
          )
          const session = yield* get(appId, sessionId)
          return session === undefined
            ? yield* Effect.die(new Error("a session just written is gone"))
            : { session, created: true }
        },
        transaction,
        (effect, appId) =>
          Effect.tap(effect, ({ session }) =>
            afterCommit(() =>
              signals.announce([{ appId, sessionId: session.session_id, cursor: session.last_cursor }], true)
            )
          )
      )

      const control = Effect.fnUntraced(function* (
        appId: string,
        sessionId: string,
        changed: Readonly<Record<string, unknown>>
      ) {
        const found = yield* query(
          (sql) => sql`
        update sessions set proactive_controls = jsonb_strip_nulls(proactive_controls ||
          ${JSON.stringify(changed)}::text::jsonb) where app_id = ${appId} and session_id = ${sessionId} returning 1`
        )
        if (found.length > 0) yield* query((sql) => scheduleProactiveCheck(sql, { appId, sessionId }))
        return yield* get(appId, sessionId)
      }, transaction)

      return Sessions.of({
        create,
        get,
        control,
        list: (appId, filter) => select(appId, { ...filter, sessionId: null })
      })
    })
  )
}
