import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { isSuspendedByOperator } from "#src/db/delivery/isSuspendedByOperator.ts"
import type { ClaimedUpdate } from "./Updates.ts"

/** `word`: to be sent. `word_sent`: being sent; if its worker died, it is unknown whether it was delivered. */
export const isServiceReply = ({ kind }: ClaimedUpdate): boolean => kind === "word" || kind === "word_sent"

/**
 * Service replies where there is no session, and so no log: after an erasure, or before a session could begin. The
 * reply replaces the update that it answers in the chat's queue until it is sent, so that after a crash another worker
 * takes it.
 */
export class ServiceReplies extends Context.Service<
  ServiceReplies,
  {
    /** Call it in the transaction whose effect the reply reports. It completes the update. */
    readonly enqueue: (update: ClaimedUpdate, text: string) => Effect.Effect<void, DatabaseError>
    /**
     * Records that it is being sent. False: another worker has it now, or the bot is suspended and the reply waits with
     * everything else.
     */
    readonly recordIntent: (update: ClaimedUpdate) => Effect.Effect<boolean, DatabaseError>
    readonly markSent: (update: ClaimedUpdate) => Effect.Effect<void, DatabaseError>
    /** It was certainly not delivered. Schedules another try after this time. */
    readonly retry: (
      update: ClaimedUpdate,
      error: string,
      after: Duration.Duration
    ) => Effect.Effect<void, DatabaseError>
    /** It is not sent again. `unknown`: it may have been delivered. */
    readonly giveUp: (update: ClaimedUpdate, error: string) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/telegram/ServiceReplies") {
  static readonly layer = Layer.effect(
    ServiceReplies,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database
      const finish = ({ app_id, channel_id, update_id }: ClaimedUpdate, error: string | null) =>
        query(
          (sql) => sql`
      update telegram_updates set done_at = now(), owner = null, error = ${error}
      where app_id = ${app_id} and channel_id = ${channel_id} and update_id = ${update_id}`
        ).pipe(Effect.asVoid)

      return ServiceReplies.of({
        enqueue: Effect.fnUntraced(function* ({ app_id, channel_id, update_id, chat_id }: ClaimedUpdate, text: string) {
          yield* query(
            (sql) => sql`
          update telegram_updates set kind = 'word',
            raw = ${JSON.stringify(text)}::text::json, done_at = null, owner = null, attempts = 0, error = null,
              due_at = now()
          where app_id = ${app_id} and channel_id = ${channel_id} and update_id = ${update_id}`
          )
          yield* query(
            (sql) =>
              sql`insert into telegram_paces (app_id, channel_id, chat_id)
                values (${app_id}, ${channel_id}, ${chat_id}) on conflict do nothing`
          )
        }, transaction),
        recordIntent: ({ app_id, channel_id, update_id, attempts }) =>
          query<Array<{ kind: string }>>(
            (sql) => sql`
        with held as (
          select ${isSuspendedByOperator(sql, sql`${app_id}::text`)} as is_held
        )
        update telegram_updates set kind = case when is_held then 'word' else 'word_sent' end, owner = case
          when is_held then null else owner end from held
        where app_id = ${app_id} and channel_id = ${channel_id} and update_id = ${update_id}
          and kind = 'word' and owner is not null and attempts = ${attempts}::int and done_at is null returning kind`
          ).pipe(Effect.map(([row]) => row?.kind === "word_sent")),
        markSent: (update) => finish(update, null),
        retry: ({ app_id, channel_id, update_id, attempts }, error, after) =>
          query(
            (sql) => sql`
        update telegram_updates set kind = 'word', owner = null,
          error = ${error}, due_at = now() + ${Duration.toMillis(after)}::bigint * interval '1 millisecond'
        where app_id = ${app_id} and channel_id =
          ${channel_id} and update_id = ${update_id} and attempts = ${attempts}::int and done_at is null`
          ).pipe(Effect.asVoid),
        giveUp: finish
      })
    })
  )
}
