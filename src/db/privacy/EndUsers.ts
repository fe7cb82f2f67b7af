import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { auditing } from "#src/db/tenancy/auditLog.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { scheduleProactiveChecks } from "#src/db/conversation/proactiveChecks.ts"
import { personMark } from "#src/db/conversation/personMarks.ts"

/** What is stored about an end-user of an app, under the app's own reference. */
export interface EndUser {
  readonly external_user_ref: string
  readonly display_name: string | null
  readonly timezone: string | null
  readonly locale: string | null
  readonly age_band: "adult" | "minor" | "unknown"
  readonly blocked: boolean
  readonly session_count: number
  /** When they last wrote. */
  readonly last_active_at: Date | null
  readonly created_at: Date
}

/** Missing fields stay as they are. */
export type EndUserChange = Partial<Pick<EndUser, "display_name" | "timezone" | "locale" | "age_band" | "blocked">>

export interface EndUserFilter {
  /** Part of the reference or of the display name. */
  readonly search: string | null
  /** Only those who have written since then. */
  readonly activeSince: Date | null
  /** References after this one. */
  readonly after: string | null
  readonly limit: number
}

/** End-users of an app, from their first session or cap until they are erased: see Erasures. */
export class EndUsers extends Context.Service<
  EndUsers,
  {
    readonly list: (appId: string, filter: EndUserFilter) => Effect.Effect<ReadonlyArray<EndUser>, DatabaseError>
    readonly get: (appId: string, externalUserRef: string) => Effect.Effect<EndUser | undefined, DatabaseError>
    /** Undefined: no such end-user. */
    readonly change: (
      appId: string,
      externalUserRef: string,
      change: EndUserChange
    ) => Effect.Effect<EndUser | undefined, DatabaseError>
  }
>()("src/db/privacy/EndUsers") {
  static readonly layer = Layer.effect(
    EndUsers,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const record = auditing(database)

      const select = (
        appId: string,
        { search, activeSince, after, limit }: EndUserFilter,
        externalUserRef: string | null
      ) =>
        query<Array<EndUser>>(
          (sql) => sql`
        select u.external_user_ref, u.display_name, u.timezone, u.locale, u.age_band, u.blocked, u.created_at,
          c.session_count, c.last_active_at
        from end_users u cross join lateral (
          select count(*)::int as session_count, max(l.last_user_at) as last_active_at from sessions s
            join session_logs l using (app_id, session_id)
          where s.app_id = u.app_id and s.external_user_ref = u.external_user_ref
        ) c
        where u.app_id = ${appId} ${
          externalUserRef === null
            ? sql``
            : sql`and u.external_user_ref =
          ${externalUserRef}`
        }
          ${after === null ? sql`` : sql`and u.external_user_ref > ${after}`}
          ${
            search === null
              ? sql``
              : sql`and strpos(lower(u.external_user_ref || ' ' || coalesce(u.display_name, '')),
            lower(${search})) > 0`
          }
          ${activeSince === null ? sql`` : sql`and c.last_active_at >= ${activeSince.toISOString()}`}
        order by u.external_user_ref limit ${limit}`
        )
      const get = (appId: string, externalUserRef: string) =>
        select(appId, { search: null, activeSince: null, after: null, limit: 1 }, externalUserRef).pipe(
          Effect.map((rows) => rows[0])
        )

      const noteBlock = Effect.fnUntraced(function* (appId: string, externalUserRef: string, blocked: boolean) {
        const other = yield* query(
          (sql) => sql`
        select 1 from end_users where app_id =
          ${appId} and external_user_ref = ${externalUserRef} and blocked <> ${blocked} for no key update`
        )
        if (other.length > 0)
          yield* record({
            action: blocked ? "end_user.blocked" : "end_user.unblocked",
            appId,
            subject: externalUserRef
          })
      })
      const change = Effect.fnUntraced(function* (appId: string, externalUserRef: string, changed: EndUserChange) {
        if (changed.blocked !== undefined) yield* noteBlock(appId, externalUserRef, changed.blocked)
        if (Object.keys(changed).length > 0) {
          // A minor only stops being one if the app states that they are an adult.
          const { age_band, ...rest } = changed
          if (age_band !== undefined)
            yield* query(
              (sql) => sql`
          update end_users set age_band = case when age_band = 'minor'
            and ${age_band} = 'unknown' then 'minor'
              else ${age_band} end, minor_characters = case ${age_band} when 'adult' then '{}' else minor_characters end
          where app_id = ${appId} and external_user_ref = ${externalUserRef}`
            )
          if (age_band === "adult")
            yield* query(
              (sql) =>
                sql`delete from minor_marks where app_id =
                  ${appId} and mark = ${personMark(sql, appId, externalUserRef)}`
            )
          if (Object.keys(rest).length > 0)
            yield* query(
              (sql) =>
                sql`update end_users set ${sql({ ...rest })}
                  where app_id = ${appId} and external_user_ref = ${externalUserRef}`
            )
          // Blocking, age and time zone affect whether they get proactive messages.
          yield* query((sql) =>
            scheduleProactiveChecks(
              sql,
              sql`select app_id, session_id from sessions
                where app_id = ${appId} and external_user_ref = ${externalUserRef}`
            )
          )
        }
        return yield* get(appId, externalUserRef)
      }, transaction)

      return EndUsers.of({ list: (appId, filter) => select(appId, filter, null), get, change })
    })
  )
}
