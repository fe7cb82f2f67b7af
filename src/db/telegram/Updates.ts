import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import { rounds } from "#channels/rounds.ts"
import type { FirstLook } from "#channels/telegram/Update.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { groupCommit } from "#src/db/postgres/GroupCommit.ts"
import type { Joined } from "#src/db/postgres/Joined.ts"
import { ALL_APPS, holds, isHeld } from "#src/db/delivery/isHeld.ts"

/** Pictures of one album come one by one, this close. */
const ALBUM_MS = 1000
/** Somebody who writes on and on is answered after so long all the same. */
const LONGEST_JOIN = "6 seconds"
const CHATS_A_CLAIM = 64
/** So many are put aside by one claim, which others wait for; the rest, which nobody claims, by the next ones. */
const PUT_ASIDE_A_CLAIM = 10_000
/** How often the workers are told of what has come in: how late they hear of the next, too. */
const TOLD_EVERY = Duration.millis(20)
/**
 * A batch takes some milliseconds, and waits for a row only when Telegram repeats what is being handled this moment.
 */
const OVERTAKEN_AFTER_MS = 250
/**
 * Messages that are answered as one; they are no longer together than a message may be. An album that the last of them
 * is of comes whole.
 */
const MESSAGES_A_BATCH = 7
const PICTURES_AN_ALBUM = 10
/** Tries at what we cannot handle, before it is put aside. */
const MOST_ATTEMPTS = 5

/** What a hook has to know of a bot. */
export interface Binding {
  readonly appId: string
  readonly channelId: string
  readonly status: string
  readonly secretHash: Uint8Array | null
  readonly previousSecretHash: Uint8Array | null
  readonly joinWindowMs: number
}

export interface Arrival extends FirstLook {
  readonly appId: string
  readonly channelId: string
  readonly joinWindowMs: number
  readonly raw: string
}

export interface ClaimedUpdate {
  readonly app_id: string
  readonly channel_id: string
  readonly update_id: number
  readonly chat_id: number
  readonly thread_id: number
  readonly kind: string
  readonly batch: number
  readonly attempts: number
  readonly raw: unknown
}

/** The updates of one chat that are handled as one, oldest first. */
export type Batch = readonly [ClaimedUpdate, ...ReadonlyArray<ClaimedUpdate>]

/** Updates of Telegram's on their way in: durable before they are answered, handled in the order of each chat. */
export class Updates extends Context.Service<
  Updates,
  {
    /** Undefined: no bot has ever had this id. */
    readonly binding: (channelId: string) => Effect.Effect<Binding | undefined, DatabaseError>
    /** Those that are known already are not written again. */
    readonly store: (arrival: Arrival) => Effect.Effect<void, DatabaseError>
    /**
     * The oldest of each chat that nobody handles, with what is joined to it, once its time has come. `waiting`: there
     * is more that is not due yet.
     */
    readonly claim: (
      owner: string
    ) => Effect.Effect<{ readonly batches: ReadonlyArray<Batch>; readonly waiting: boolean }, DatabaseError>
    /** False: somebody else has been done with it before. */
    readonly done: (batch: Batch) => Effect.Effect<boolean, DatabaseError>
    /**
     * Gives the batch back for another try later, or puts it aside after the last. `ours`: it was no fault of the
     * updates'.
     */
    readonly failed: (batch: Batch, error: string, ours: boolean) => Effect.Effect<void, DatabaseError>
    /** Frees what is held by owners that are not registered, and lanes whose chat is there again. */
    readonly sweep: Effect.Effect<void, DatabaseError>
  }
>()("src/db/telegram/Updates") {
  static readonly layer = Layer.effect(
    Updates,
    Effect.gen(function* () {
      const { pool, query } = yield* Database

      // Of many bots each asks seldom, and all together often.
      const binding = groupCommit<string, Binding | undefined>({
        maxBatch: 64,
        inFlight: 2,
        run: async (channelIds) => {
          const rows = await pool<Array<Binding>>`
          select app_id as "appId", channel_id as "channelId", status, secret_hash as "secretHash", join_window_ms as "joinWindowMs",
            case when previous_secret_until > now() then previous_secret_hash end as "previousSecretHash"
          from telegram_bots where channel_id = any(${[...channelIds]}::text[])`
          const byId = new Map(rows.map((row) => [row.channelId, row]))
          return channelIds.map((id) => byId.get(id))
        }
      })

      const arrived = yield* Queue.sliding<void>(1)
      // That somebody has written is noted in passing: a bot whose row is held must not hold up the updates of others.
      // Bots are looked up by their ids, given as arrays: joined, all there are would be read for each batch, which is
      // the better plan as long as there are few. What they have written goes as one JSON array: in an array of texts
      // each of its many quotes would have to be escaped, and be read again.
      const store = groupCommit<Arrival, void>({
        maxBatch: 256,
        inFlight: 1,
        overtakenAfterMs: OVERTAKEN_AFTER_MS,
        run: async (batch) => {
          const [row] = await pool<Array<{ new: boolean }>>`
          with written as (
            insert into telegram_updates (app_id, channel_id, update_id, kind, chat_id, thread_id, sender_id, message_id, album, due_at, raw)
            select u.app_id, u.channel_id, u.update_id, u.kind, u.chat_id, u.thread_id, u.sender_id, u.message_id, u.album, now() + u.join_ms * interval '1 millisecond', u.raw
            from rows from (unnest(${batch.map((a) => a.appId)}::text[], ${batch.map((a) => a.channelId)}::text[], ${batch.map((a) => a.updateId)}::bigint[], ${batch.map((a) => a.kind)}::text[],
              ${batch.map((a) => a.chatId)}::bigint[], ${batch.map((a) => a.threadId)}::bigint[], ${batch.map((a) => a.senderId)}::bigint[], ${batch.map((a) => a.messageId)}::bigint[], ${batch.map((a) => a.album)}::text[],
              ${batch.map((a) => (a.kind !== "text" ? 0 : Math.max(a.joinWindowMs, a.album === null ? 0 : ALBUM_MS)))}::int[]), json_array_elements(${`[${batch.map((a) => a.raw).join(",")}]`}::text::json))
              as u(app_id, channel_id, update_id, kind, chat_id, thread_id, sender_id, message_id, album, join_ms, raw)
            on conflict do nothing returning app_id, channel_id
          ), heard as (
            select app_id, channel_id from telegram_bots where app_id = any(array(select app_id from written)) and channel_id = any(array(select channel_id from written))
              and coalesce(last_in_at < now() - interval '10 seconds', true) for no key update skip locked
          ), noted as (
            update telegram_bots set last_in_at = now() where app_id = any(array(select app_id from heard)) and channel_id = any(array(select channel_id from heard))
          )
          select exists (select from written) as new`
          if (row?.new === true) Queue.offerUnsafe(arrived, undefined)
          return batch.map(() => undefined)
        }
      })

      // A job is dear, and only a wake-up: many batches share one, and what is told of by none is found within a
      // second.
      const tell = query(
        (sql) =>
          sql`select set_config('synchronous_commit', 'off', true), graphile_worker.add_job('telegram', '{}'::json)`
      ).pipe(
        Effect.catchTag("DatabaseError", (error) =>
          Effect.logWarning("workers could not be notified of updates", { reason: error.message })
        )
      )
      yield* rounds(TOLD_EVERY, Effect.andThen(Queue.take(arrived), tell)).pipe(
        Effect.annotateLogs({ service: "Updates" }),
        Effect.forkScoped
      )

      // What a bot that is held has is put aside until the bot is walked again (takeUp), under the lock of its row: a
      // claim looks at all that is open. As long as anything of a bot's is aside, nothing younger is claimed: between
      // the release of a hold and its bots' going on people write. It is looked for bot by bot (`offset 0`), and not by
      // reading all that is aside.
      const claim = Effect.fnUntraced(function* (owner: string) {
        const rows = yield* query<Array<Joined<ClaimedUpdate> & { readonly waiting: boolean }>>(
          (sql) => sql`
        with me as (
          select worker_id from workers where worker_id = ${owner} for key share
        ), open as (
          select app_id, channel_id, chat_id, min(update_id) as first, min(received_at) as since,
            max(due_at) <= now() or (min(received_at) < now() -
              ${LONGEST_JOIN}::interval and coalesce(max(due_at) filter (where error is not null) <= now(),
                true)) as due
          from telegram_updates where done_at is null and due_at < 'infinity'
          group by app_id, channel_id, chat_id having count(owner) = 0
        ), hold as (
          ${holds(sql)}
        ), chat as (
          select o.*, b.join_window_ms from open o cross join lateral (
            select join_window_ms from telegram_bots b
            where b.app_id = o.app_id and b.channel_id = o.channel_id and b.status in ('active', 'degraded')
              and not exists (select from hold where scope in (${ALL_APPS}, b.app_id))
              and not exists (select from telegram_updates a where a.app_id = b.app_id and a.channel_id = b.channel_id
                and a.done_at is null and a.due_at = 'infinity' offset 0)
            offset 0
          ) b
        ), still as (
          select b.app_id, b.channel_id from telegram_bots b where b.channel_id = any(array(select channel_id
            from open))
            and (b.status not in ('active', 'degraded') or exists (select from hold
              where scope in (${ALL_APPS}, b.app_id))) for no key update of b skip locked
        ), put_aside as (
          update telegram_updates u set due_at = 'infinity' from (
            select u.app_id, u.channel_id, u.update_id from still s join telegram_updates u using (app_id, channel_id)
            where u.done_at is null and u.owner is null and u.due_at < 'infinity' limit ${PUT_ASIDE_A_CLAIM}::int
          ) o
          where u.app_id = o.app_id and u.channel_id = o.channel_id and u.update_id = o.update_id and u.done_at is null
            and u.owner is null and u.due_at < 'infinity'
        ), head as (
          select u.*, c.join_window_ms from (select * from chat where due order by since limit ${CHATS_A_CLAIM}::int) c
          join telegram_updates u on u.app_id = c.app_id and u.channel_id = c.channel_id and u.update_id = c.first, me
          where u.owner is null and u.done_at is null
          for update of u skip locked
        ), run as (
          select u.app_id, u.channel_id, u.update_id, h.update_id as first,
            row_number() over w as place, u.album is not null and u.album = nth_value(u.album,
              ${MESSAGES_A_BATCH}::int) over w as of_last, bool_and(u.update_id = h.update_id or (
              h.kind = 'text' and u.kind in ('text', 'edit') and u.thread_id = h.thread_id
                and u.sender_id is not distinct from h.sender_id
              and u.batch is not distinct from h.batch and (h.join_window_ms > 0 or u.kind = 'edit'
                or coalesce(u.album = h.album, false))
            )) over w as joined
          from head h join telegram_updates u on u.app_id = h.app_id and u.channel_id = h.channel_id
            and u.chat_id = h.chat_id and u.update_id >= h.update_id and u.done_at is null and u.due_at < 'infinity'
          window w as (partition by u.app_id, u.channel_id, u.chat_id order by u.update_id)
        ), claimed as (
          update telegram_updates u set owner = ${owner}, attempts = u.attempts + 1, batch = r.first from run r
          where u.app_id = r.app_id and u.channel_id = r.channel_id and u.update_id = r.update_id and r.joined
            and (r.place <= ${MESSAGES_A_BATCH}::int or (r.of_last
              and r.place <= ${MESSAGES_A_BATCH + PICTURES_AN_ALBUM}::int))
          returning u.app_id, u.channel_id, u.update_id, u.chat_id, u.thread_id, u.kind, u.batch, u.attempts, u.raw
        )
        select w.waiting, c.* from (select exists (select from chat) as waiting) w left join claimed c on true
          order by c.app_id, c.channel_id, c.update_id`
        )
        const batches = [
          ...Map.groupBy(
            rows.filter((row) => row.update_id !== null),
            (row) => `${row.channel_id} ${row.chat_id}`
          ).values()
        ] as unknown as ReadonlyArray<Batch>
        return { batches, waiting: rows[0]?.waiting ?? false }
      })

      const ids = (batch: Batch) => batch.map((update) => update.update_id)
      return Updates.of({
        binding,
        store,
        claim,
        done: (batch) =>
          query(
            (sql) => sql`
        update telegram_updates set done_at = now(), owner = null
        where app_id = ${batch[0].app_id}
          and channel_id = ${batch[0].channel_id}
            and update_id = any(${ids(batch)}::bigint[]) and done_at is null returning 1`
          ).pipe(Effect.map((rows) => rows.length > 0)),
        failed: (batch, error, ours) =>
          query(
            (sql) => sql`
        update telegram_updates set owner = null, due_at = now() + interval '1 second' * 2 ^ least(attempts, 6),
          error = ${error},
          attempts = case when ${ours} then attempts - 1 else attempts end,
          done_at = case when not ${ours} and attempts >= ${MOST_ATTEMPTS}::int then now() end
        where app_id = ${batch[0].app_id}
          and channel_id = ${batch[0].channel_id} and update_id = any(${ids(batch)}::bigint[])`
          ).pipe(Effect.asVoid),
        // A lane may be parked by what Telegram said a moment before the chat came back; one that was long ago is freed
        // by the chat's return. The ids of bots' channels begin so. A lane that is locked is left to the next time: to
        // wait for one here, out of the order in which others lock them, could end in a deadlock.
        sweep: query(
          (sql) => sql`
        update telegram_updates u set owner = null where u.owner is not null and not exists (select from workers w
          where w.worker_id = u.owner)`
        ).pipe(
          Effect.andThen(
            query(
              (sql) => sql`
          with back as (
            select l.app_id, l.session_id, l.channel_id from lanes l
              join channels x on x.app_id = l.app_id and x.channel_id = l.channel_id and x.status in ('active',
                'failing')
              join telegram_chats c on c.app_id = l.app_id and c.channel_id = l.channel_id
                and c.session_id = l.session_id and c.status = 'active'
            where l.status = 'parked' and l.due_at > now() - interval '1 hour' and l.channel_id >= 'bot_'
              and l.channel_id < 'bou_' and l.position < l.head and not (${isHeld(sql, sql`l.app_id`)})
            for no key update of l skip locked
          )
          update lanes l set status = 'ready', due_at = now() from back b where l.app_id = b.app_id
            and l.session_id = b.session_id and l.channel_id = b.channel_id`
            )
          ),
          Effect.asVoid
        )
      })
    })
  )
}
