import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Database, DatabaseError } from "#src/db/postgres/Database.ts"

/**
 * `telegram`: what bots receive and send. `app`: everything that an app does. `delivery`: everything that is sent to
 * anybody, by any app, after a restore.
 */
export type SuspensionKind = "telegram" | "app" | "delivery"

export class NoSuchApp extends Schema.TaggedError<NoSuchApp>()("NoSuchApp", {}) {}

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
  /** False: it was already suspended. A given reason replaces the previous one. */
  put: Effect.fnUntraced(function* (scope: string, reason: string | null) {
    const there = yield* query(
      (sql) =>
        sql`select 1 from telegram_holds
          where scope = ${scope} and kind = ${kind} and released_at is null for no key update`
    )
    yield* query(
      (sql) => sql`
      insert into telegram_holds as h (scope, kind, reason) values (${scope}, ${kind}, ${reason})
      on conflict (scope, kind) do update set released_at = null, since = case when h.released_at is null then h.since
        else now() end,
        reason = case when h.released_at is null then coalesce(excluded.reason, h.reason) else excluded.reason end`
    )
    return there.length === 0
  }),
  /** False: there was none. Adds a job for `TelegramSuspensions.finish`, which resumes what was parked. */
  lift: Effect.fnUntraced(function* (scope: string) {
    const was = yield* query(
      (sql) =>
        sql`select 1 from telegram_holds where scope = ${scope} and kind = ${kind} and released_at is null for update`
    )
    yield* query(
      (sql) =>
        sql`update telegram_holds set released_at = now()
          where scope = ${scope} and kind = ${kind} and released_at is null`
    )
    if (was.length > 0)
      yield* query(
        (sql) =>
          sql`select graphile_worker.add_job('release', '{}'::json), graphile_worker.add_job('manager', '{}'::json)`
      )
    return was.length > 0
  })
})
