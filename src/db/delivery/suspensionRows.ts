import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Database, DatabaseError } from "#src/db/postgres/Database.ts"

/**
 * `telegram`: what bots receive and send. `app`: everything that an app does. `move`: the same, while the app moves to
 * another cell. `delivery`: everything that is sent to anybody, by any app, after a restore.
 */
export type SuspensionKind = "telegram" | "app" | "move" | "delivery"

export class NoSuchApp extends Schema.TaggedError<NoSuchApp>()("NoSuchApp", {}) {}

/** A suspension as it was found. Null: there was none. */
export type Found = { readonly since: Date; readonly reason: string | null } | null

const stateOf = (found: Found) => ({ suspended: found !== null, reason: found?.reason ?? null })
/** The state before and after a suspension, for the audit log. */
export const suspending = (before: Found, reason: string | null) => ({
  before: stateOf(before),
  after: { suspended: true, reason: reason ?? before?.reason ?? null }
})
/** The same for its end. */
export const lifting = (before: Found) => ({ before: stateOf(before), after: stateOf(null) })

/**
 * Sets and lifts suspensions, each in the caller's transaction. Claims lock the suspensions that they act on, so
 * lifting one waits for claims that are parking something because of it.
 */
export const suspensionRows = ({ query }: Context.Service.Shape<typeof Database>, kind: SuspensionKind) => ({
  /** If the scope is all apps, there is no app to check. */
  checkApp: (appId: string | null): Effect.Effect<void, NoSuchApp | DatabaseError> =>
    appId === null
      ? Effect.void
      : Effect.flatMap(
          query((sql) => sql`select 1 from apps where app_id = ${appId} for key share`),
          (found): Effect.Effect<void, NoSuchApp> => (found.length > 0 ? Effect.void : new NoSuchApp())
        ),
  /** Returns the suspension that there was. A given reason replaces its own. */
  put: Effect.fnUntraced(function* (scope: string, reason: string | null) {
    const [before = null] = yield* query<Array<NonNullable<Found>>>(
      (sql) =>
        sql`select since, reason from telegram_holds
          where scope = ${scope} and kind = ${kind} and released_at is null for no key update`
    )
    yield* query(
      (sql) => sql`
      insert into telegram_holds as h (scope, kind, reason) values (${scope}, ${kind}, ${reason})
      on conflict (scope, kind) do update set released_at = null, since = case when h.released_at is null then h.since
        else now() end,
        reason = case when h.released_at is null then coalesce(excluded.reason, h.reason) else excluded.reason end`
    )
    return before
  }),
  /** Returns the suspension that there was. Adds a job for `TelegramSuspensions.finish`, to resume what was parked. */
  lift: Effect.fnUntraced(function* (scope: string) {
    const [before = null] = yield* query<Array<NonNullable<Found>>>(
      (sql) =>
        sql`select since, reason from telegram_holds
          where scope = ${scope} and kind = ${kind} and released_at is null for update`
    )
    yield* query(
      (sql) =>
        sql`update telegram_holds set released_at = now()
          where scope = ${scope} and kind = ${kind} and released_at is null`
    )
    if (before !== null)
      yield* query(
        (sql) =>
          sql`select graphile_worker.add_job('release', '{}'::json), graphile_worker.add_job('manager', '{}'::json)`
      )
    return before
  })
})
