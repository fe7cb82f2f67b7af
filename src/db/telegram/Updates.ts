import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import { repeatForever } from "#channels/repeatForever.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { groupCommit } from "#src/db/postgres/GroupCommit.ts"
import type { Joined } from "#src/db/postgres/Joined.ts"
import { ALL_APPS, lockSuspensions, isSuspendedByOperator } from "#src/db/delivery/isSuspendedByOperator.ts"
import { type Arrival, writeArrivals } from "./writeArrivals.ts"

/** A person who keeps writing gets an answer after this time. */
const LONGEST_JOIN = "6 seconds"
/** Maximum number of chats in one claim. */
export const CHATS_PER_CLAIM = 64
/** How many updates one claim parks. Other claims wait for it, and the next ones park the rest. */
const PUT_ASIDE_PER_CLAIM = 10_000
/** How often workers are notified of new updates, which also limits how late they are notified. */
const NOTIFY_EVERY = Duration.millis(20)
/** A batch takes a few milliseconds. It only waits for a row if Telegram repeats an update that is being handled. */
const OVERTAKEN_AFTER_MS = 250
/**
 * Maximum number of messages answered together. Their total length is limited like that of one message. An album that
 * includes the last of them is complete.
 */
const MESSAGES_PER_BATCH = 7
const PICTURES_PER_ALBUM = 10
/** Attempts for an update that fails, before it is given up. */
const MAX_ATTEMPTS = 5

/** What the webhook has to know about a bot. */
export interface Binding {
  readonly appId: string
  readonly channelId: string
  readonly status: string
  readonly secretHash: Uint8Array | null
  readonly previousSecretHash: Uint8Array | null
  readonly joinWindowMs: number
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

/** Updates of one chat that are handled together, oldest first. */
export type Batch = readonly [ClaimedUpdate, ...ReadonlyArray<ClaimedUpdate>]

/** Incoming Telegram updates: stored before Telegram gets an answer, and handled in order within each chat. */
export class Updates extends Context.Service<
  Updates,
  {
    /** Undefined: no bot has ever had this id. */
    readonly binding: (channelId: string) => Effect.Effect<Binding | undefined, DatabaseError>
    /** Known updates are not stored again. False: not stored, because its app is moving to another cell. */
    readonly store: (arrival: Arrival) => Effect.Effect<boolean, DatabaseError>
    /**
     * Claims the oldest update of each unclaimed chat, together with those joined to it, once it is due. If there are
     * more chats than it may claim, apps take turns, and so do the bots of an app. `except`: the channels of bots that
     * have enough in progress. `waiting`: there are others that are not due yet.
     */
    readonly claim: (
      owner: string,
      except: ReadonlyArray<string>
    ) => Effect.Effect<{ readonly batches: ReadonlyArray<Batch>; readonly waiting: boolean }, DatabaseError>
    /** False: another worker has already finished it. */
    readonly done: (batch: Batch) => Effect.Effect<boolean, DatabaseError>
    /**
     * Releases the batch for a retry, or gives it up after the last attempt. `ours`: the cause was not in the updates.
     */
    readonly failed: (batch: Batch, error: string, ours: boolean) => Effect.Effect<void, DatabaseError>
    /** Ends a batch that has crashed its processes too often. Its error says so. */
    readonly giveUp: (batch: Batch) => Effect.Effect<void, DatabaseError>
    /** Releases what unregistered owners hold, and lanes whose chat can be reached again. */
    readonly sweep: Effect.Effect<void, DatabaseError>
  }
>()("src/db/telegram/Updates") {
  static readonly layer = Layer.effect(
    Updates,
    Effect.gen(function* () {
      const { pool, query } = yield* Database

      // Each bot asks rarely, but all bots together often.
      const binding = groupCommit<string, Binding | undefined>({
        maxBatch: 64,
        inFlight: 2,
        run: async (channelIds) => {
          const rows = await pool<Array<Binding>>`
          select app_id as "appId", channel_id as "channelId", status, secret_hash as "secretHash",
            join_window_ms as "joinWindowMs",
            case when previous_secret_until > now() then previous_secret_hash end as "previousSecretHash"
          from telegram_bots where channel_id = any(${[...channelIds]}::text[])`
          const byId = new Map(rows.map((row) => [row.channelId, row]))
          return channelIds.map((id) => byId.get(id))
        }
      })

      const arrived = yield* Queue.sliding<void>(1)
      const store = groupCommit<Arrival, boolean>({
        maxBatch: 256,
        inFlight: 1,
        overtakenAfterMs: OVERTAKEN_AFTER_MS,
        run: async (batch) => {
          const { isNew, moving } = await writeArrivals(pool, batch)
          if (isNew) Queue.offerUnsafe(arrived, undefined)
          return batch.map(({ appId }) => !moving.has(appId))
        }
      })

      // A job is expensive and only a wake-up, so many batches share one. Updates without a notification are found
      // within a second.
      const tell = query(
        (sql) =>
          sql`select set_config('synchronous_commit', 'off', true), graphile_worker.add_job('telegram', '{}'::json)`
      ).pipe(
        Effect.catchTag("DatabaseError", (error) =>
          Effect.logWarning("workers could not be notified of updates", { reason: error.message })
        )
      )
      yield* repeatForever(NOTIFY_EVERY, Effect.andThen(Queue.take(arrived), tell)).pipe(
        Effect.annotateLogs({ service: "Updates" }),
        Effect.forkScoped
      )

      // Updates of a suspended bot are parked under the lock on its row until the bot is started again
      // (requeueUpdates), because a claim scans all open updates. While a bot has parked updates, newer ones are not
      // claimed, because people write between the end of a suspension and the resumption of its bots. Parked updates
      // are looked up bot by bot (`offset 0`) instead of reading all of them.
      //
      // The plan is made once, maybe while the table is empty. So no form of it may compare all open updates with each
      // other: what is read begins with the chats and bots concerned, and is found by its index or its place.
      const claim = Effect.fnUntraced(function* (owner: string, except: ReadonlyArray<string>) {
        const rows = yield* query<Array<Joined<ClaimedUpdate> & { readonly waiting: boolean }>>(
          (sql) => sql`
        with me as (
          select worker_id from workers where worker_id = ${owner} for key share
        ), open as (
          select app_id, channel_id, chat_id, min(update_id) as first, min(received_at) as since,
            max(due_at) <= now() or (min(received_at) < now() -
              ${LONGEST_JOIN}::interval and coalesce(max(due_at) filter (where error is not null) <= now(),
                true)) as due
          from telegram_updates
          where done_at is null and due_at < 'infinity' and channel_id <> all(${[...except]}::text[])
          group by app_id, channel_id, chat_id having count(owner) = 0
        ), hold as (
          ${lockSuspensions(sql)}
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
          update telegram_updates u set due_at = 'infinity'
          where u.ctid = any(array(
            select o.place from still s cross join lateral (
              select ctid as place from telegram_updates
              where app_id = s.app_id and channel_id = s.channel_id and done_at is null and owner is null
                and due_at < 'infinity' offset 0
            ) o limit ${PUT_ASIDE_PER_CLAIM}::int
          )) and u.done_at is null and u.owner is null and u.due_at < 'infinity'
        ), head as (
          select u.*, c.join_window_ms from (
            select * from (
              select *, row_number() over (partition by app_id order by place_in_bot, since) as place_in_app from (
                select *, row_number() over (partition by app_id, channel_id order by since) as place_in_bot
                from chat where due
              ) of_bot where place_in_bot <= ${CHATS_PER_CLAIM}::int
            ) of_app order by place_in_app, since limit ${CHATS_PER_CLAIM}::int
          ) c
          join telegram_updates u on u.app_id = c.app_id and u.channel_id = c.channel_id and u.update_id = c.first, me
          where u.owner is null and u.done_at is null
          for update of u skip locked
        ), run as (
          select u.app_id, u.channel_id, u.update_id, h.update_id as first,
            row_number() over w as place, u.album is not null and u.album = nth_value(u.album,
              ${MESSAGES_PER_BATCH}::int) over w as of_last, bool_and(u.update_id = h.update_id or (
              h.kind = 'text' and u.kind in ('text', 'edit') and u.thread_id = h.thread_id
                and u.sender_id is not distinct from h.sender_id
              and u.batch is not distinct from h.batch and (h.join_window_ms > 0 or u.kind = 'edit'
                or coalesce(u.album = h.album, false))
            )) over w as joined
          from head h cross join lateral (
            select app_id, channel_id, chat_id, update_id, kind, thread_id, sender_id, batch, album
            from telegram_updates
            where app_id = h.app_id and channel_id = h.channel_id and chat_id = h.chat_id
              and update_id >= h.update_id and done_at is null and due_at < 'infinity'
            order by update_id limit ${MESSAGES_PER_BATCH + PICTURES_PER_ALBUM}::int
          ) u
          window w as (partition by u.app_id, u.channel_id, u.chat_id order by u.update_id)
        ), claimed as (
          update telegram_updates u set owner = ${owner}, attempts = u.attempts + 1, batch = r.first from run r
          where u.app_id = r.app_id and u.channel_id = r.channel_id and u.update_id = r.update_id and r.joined
            and (r.place <= ${MESSAGES_PER_BATCH}::int or (r.of_last
              and r.place <= ${MESSAGES_PER_BATCH + PICTURES_PER_ALBUM}::int))
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
          done_at = case when not ${ours} and attempts >= ${MAX_ATTEMPTS}::int then now() end
        where app_id = ${batch[0].app_id}
          and channel_id = ${batch[0].channel_id} and update_id = any(${ids(batch)}::bigint[])`
          ).pipe(Effect.asVoid),
        giveUp: (batch) =>
          query(
            (sql) => sql`
        update telegram_updates set done_at = now(), owner = null, error = 'given_up'
        where app_id = ${batch[0].app_id}
          and channel_id = ${batch[0].channel_id}
            and update_id = any(${ids(batch)}::bigint[]) and done_at is null`
          ).pipe(Effect.asVoid),
        // A lane may be parked by an answer of Telegram from just before the chat became reachable again. Lanes that
        // were parked earlier are released by the chat's return. Locked lanes are left for the next run, because
        // waiting for them here, in a different lock order, could deadlock.
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
              cross join lateral (
                select app_id, channel_id, status from telegram_chats where session_id = l.session_id
                union all
                select app_id, channel_id, status from telegram_chats where service_log_id = l.session_id
                offset 0
              ) c
            where l.status = 'parked' and l.due_at > now() - interval '1 hour' and l.channel_id >= 'bot_'
              and l.channel_id < 'bou_' and c.app_id = l.app_id and c.channel_id = l.channel_id
              and c.status = 'active' and l.position < l.head and not (${isSuspendedByOperator(sql, sql`l.app_id`)})
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
