import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { isHeld } from "#src/db/delivery/isHeld.ts"
import type { ClaimedUpdate } from "./Updates.ts"

/** `word`: to be said. `word_sent`: on the wire; whoever finds it so does not know whether it was heard. */
export const isWord = ({ kind }: ClaimedUpdate): boolean => kind === "word" || kind === "word_sent"

/**
 * What a bot says where no session is held, and so no log is there for it to stand on: after all was deleted, or before
 * anything could begin. The word takes the place of the update that it answers in the queue of the chat until it is
 * said, so that whoever dies leaves it to the next.
 */
export class Words extends Context.Service<
  Words,
  {
    /** Within the transaction that did what the word tells of. The update is done by then. */
    readonly keep: (update: ClaimedUpdate, text: string) => Effect.Effect<void, DatabaseError>
    /**
     * It is on the wire from now on. False: it is another's by now, or the bot is held back, and the word waits with
     * all else.
     */
    readonly intend: (update: ClaimedUpdate) => Effect.Effect<boolean, DatabaseError>
    readonly said: (update: ClaimedUpdate) => Effect.Effect<void, DatabaseError>
    /** It surely was not heard, and is to be said after so long. */
    readonly again: (
      update: ClaimedUpdate,
      error: string,
      after: Duration.Duration
    ) => Effect.Effect<void, DatabaseError>
    /** It is not said any more. `unknown`: it may have been heard. */
    readonly giveUp: (update: ClaimedUpdate, error: string) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/telegram/Words") {
  static readonly layer = Layer.effect(
    Words,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database
      const end = ({ app_id, channel_id, update_id }: ClaimedUpdate, error: string | null) =>
        query(
          (sql) => sql`
      update telegram_updates set done_at = now(), owner = null, error = ${error}
      where app_id = ${app_id} and channel_id = ${channel_id} and update_id = ${update_id}`
        ).pipe(Effect.asVoid)

      return Words.of({
        keep: Effect.fnUntraced(function* ({ app_id, channel_id, update_id, chat_id }: ClaimedUpdate, text: string) {
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
        intend: ({ app_id, channel_id, update_id, attempts }) =>
          query<Array<{ kind: string }>>(
            (sql) => sql`
        with held as (
          select ${isHeld(sql, sql`${app_id}::text`)} as is_held
        )
        update telegram_updates set kind = case when is_held then 'word' else 'word_sent' end, owner = case
          when is_held then null else owner end from held
        where app_id = ${app_id} and channel_id = ${channel_id} and update_id = ${update_id}
          and kind = 'word' and owner is not null and attempts = ${attempts}::int and done_at is null returning kind`
          ).pipe(Effect.map(([row]) => row?.kind === "word_sent")),
        said: (update) => end(update, null),
        again: ({ app_id, channel_id, update_id, attempts }, error, after) =>
          query(
            (sql) => sql`
        update telegram_updates set kind = 'word', owner = null,
          error = ${error}, due_at = now() + ${Duration.toMillis(after)}::bigint * interval '1 millisecond'
        where app_id = ${app_id} and channel_id =
          ${channel_id} and update_id = ${update_id} and attempts = ${attempts}::int and done_at is null`
          ).pipe(Effect.asVoid),
        giveUp: end
      })
    })
  )
}
