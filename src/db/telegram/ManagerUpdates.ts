import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { ALL_APPS } from "#src/db/delivery/isSuspendedByOperator.ts"

const MAX_ATTEMPTS = 20

export interface ManagerUpdate {
  readonly update_id: number
  readonly raw: unknown
}

/** Updates for the manager bot, stored until they are processed. */
export class ManagerUpdates extends Context.Service<
  ManagerUpdates,
  {
    readonly store: (updateId: number, raw: string) => Effect.Effect<void, DatabaseError>
    /**
     * Claims the oldest due update for as long as this worker lives. Messages, which would be answered, wait while the
     * operator has suspended all bots.
     */
    readonly next: (owner: string) => Effect.Effect<ManagerUpdate | undefined, DatabaseError>
    readonly done: (updateId: number) => Effect.Effect<void, DatabaseError>
    readonly failed: (updateId: number, error: string) => Effect.Effect<void, DatabaseError>
    /** Ends an update that has crashed its processes too often. Its error says so. */
    readonly giveUp: (updateId: number) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/telegram/ManagerUpdates") {
  static readonly layer = Layer.effect(
    ManagerUpdates,
    Effect.gen(function* () {
      const { query } = yield* Database
      return ManagerUpdates.of({
        store: (updateId, raw) =>
          query(
            (sql) => sql`
        with written as (
          insert into telegram_manager_updates (update_id, raw)
            values (${updateId}, ${raw}::text::json) on conflict do nothing returning 1
        )
        select graphile_worker.add_job('manager', '{}'::json) where exists (select from written)`
          ).pipe(Effect.asVoid),
        next: (owner) =>
          query<Array<ManagerUpdate>>(
            (sql) => sql`
        with me as (
          select worker_id from workers where worker_id = ${owner} for key share
        )
        update telegram_manager_updates u set owner = me.worker_id, attempts = attempts + 1 from me, (
          select update_id as id from telegram_manager_updates m where done_at is null and due_at <= now()
            and not exists (select from workers w where w.worker_id = m.owner)
            and (raw -> 'message' is null or not exists (select from telegram_holds
              where scope = ${ALL_APPS} and released_at is null)) order by update_id limit 1 for update skip locked
        ) d where u.update_id = d.id returning u.update_id, u.raw`
          ).pipe(Effect.map(([row]) => row)),
        done: (updateId) =>
          query(
            (sql) =>
              sql`update telegram_manager_updates set done_at = now(), owner = null, error = null
                where update_id = ${updateId}`
          ).pipe(Effect.asVoid),
        giveUp: (updateId) =>
          query(
            (sql) =>
              sql`update telegram_manager_updates set done_at = now(), owner = null, error = 'given_up'
                where update_id = ${updateId}`
          ).pipe(Effect.asVoid),
        failed: (updateId, error) =>
          query(
            (sql) => sql`
        update telegram_manager_updates set owner = null,
          error = ${error}, due_at = now() + interval '1 second' * 2 ^ least(attempts, 9), done_at = case
            when attempts >= ${MAX_ATTEMPTS}::int then now() end
        where update_id = ${updateId}`
          ).pipe(Effect.asVoid)
      })
    })
  )
}
