import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { newId } from "#pipeline/domain/Id.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { BATCH_TOKEN, CLAIM_CODE } from "#src/db/postgres/sealedColumns.ts"
import { Secrets } from "#src/db/postgres/Secrets.ts"
import type { SecretUnreadable } from "#src/db/postgres/secretsCipher.ts"
import type { BotStatus } from "./bots/StoredBot.ts"

export const BATCH_ACTIONS = [
  "attach",
  "suspend",
  "resume",
  "rotate_secret",
  "rotate_token",
  "rebrand",
  "create_managed"
] as const
export type BatchAction = (typeof BATCH_ACTIONS)[number]

/**
 * Between two items of a kind, and how many at once: 20 new tokens a minute and 600 an hour, one change a second of
 * what people see or of a token, ten webhooks; and where Telegram is not asked, nothing is waited for.
 */
const PACES = {
  attach: { everyMs: 6000, burst: 10 },
  change: { everyMs: 1000, burst: 1 },
  arm: { everyMs: 100, burst: 1 },
  at_once: { everyMs: 0, burst: 1 }
} as const
export type BatchKind = keyof typeof PACES
export const BATCH_KINDS = Object.keys(PACES) as ReadonlyArray<BatchKind>
const KIND_OF: Record<BatchAction, BatchKind> = {
  attach: "attach",
  suspend: "at_once",
  resume: "arm",
  rotate_secret: "arm",
  rotate_token: "change",
  rebrand: "change",
  create_managed: "at_once"
}

const MOST_ATTEMPTS = 5
/** Whoever has taken an item and is not heard of for so long has lost it. */
const LEASE = "2 minutes"

/** A bot that somebody is to make. */
export interface WantedBot {
  readonly suggested_name: string
  readonly suggested_username: string
  /** We have made it up. */
  readonly is_random: boolean
  readonly owner_ref: string | null
}

export interface BatchItem {
  readonly app_id: string
  readonly batch_id: string
  readonly item: string
  readonly action: BatchAction
  readonly dry_run: boolean
  readonly channel_id: string
  readonly character_slug: string | null
  readonly hooks_at: string
  readonly requested_at: Date
  readonly link_minutes: number | null
  readonly wanted: WantedBot | null
  readonly attempts: number
}

export interface StoredBatch {
  readonly batch_id: string
  readonly action: BatchAction
  readonly dry_run: boolean
  /** By whose links its bots are made; null: they are not. */
  readonly manager: string | null
  readonly total: number
  readonly done: number
  readonly failed: number
  readonly created_at: Date
}

export interface StoredItem {
  readonly item: string
  readonly channel_id: string
  readonly status: "pending" | "done" | "failed"
  readonly error: string | null
  readonly due_at: Date
  readonly character_slug: string | null
  readonly wanted: WantedBot | null
  readonly bot: { readonly status: BotStatus; readonly reason: string | null; readonly username: string | null } | null
  /** Of a link that can be used still. */
  readonly link: { readonly claimCode: string; readonly expiresAt: Date } | null
}
interface ItemRow extends Omit<StoredItem, "bot" | "link"> {
  readonly bot_status: BotStatus | null
  readonly bot_reason: string | null
  readonly username: string | null
  readonly claim_code: Uint8Array | null
  readonly expires_at: Date | null
}

export type NewItem =
  | { readonly channelId: string }
  | { readonly token: Redacted.Redacted<string>; readonly characterSlug: string }
  | { readonly wanted: WantedBot; readonly characterSlug: string }
export interface NewBatch {
  readonly action: BatchAction
  readonly dryRun: boolean
  readonly items: ReadonlyArray<NewItem>
  readonly hooksAt: string
  readonly links: { readonly manager: string; readonly minutes: number } | null
}

/** Things done to many bots, item by item. */
export class BatchRows extends Context.Service<
  BatchRows,
  {
    readonly create: (appId: string, batch: NewBatch) => Effect.Effect<StoredBatch, DatabaseError>
    readonly get: (appId: string, batchId: string) => Effect.Effect<StoredBatch | undefined, DatabaseError>
    readonly items: (
      appId: string,
      batchId: string,
      filter: { readonly after: string | null; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<StoredItem>, DatabaseError>
    /**
     * The next item of a kind that is due, for a while nobody else's. A number: there is one, and in so many
     * milliseconds a place for it. Undefined: there is none.
     */
    readonly next: (kind: BatchKind) => Effect.Effect<BatchItem | number | undefined, DatabaseError>
    readonly token: (
      item: BatchItem
    ) => Effect.Effect<Redacted.Redacted<string> | undefined, DatabaseError | SecretUnreadable>
    readonly done: (item: BatchItem) => Effect.Effect<void, DatabaseError>
    /**
     * It is done after so long, and that it waited is no attempt. Like `failed`, it says nothing any more of an item
     * that somebody else has taken since.
     */
    readonly wait: (item: BatchItem, seconds: number) => Effect.Effect<void, DatabaseError>
    /** `passing`: it is tried again later, a few times. */
    readonly failed: (item: BatchItem, error: string, passing: boolean) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/telegram/BatchRows") {
  static readonly layer = Layer.effect(
    BatchRows,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database
      const secrets = yield* Secrets

      const get = (appId: string, batchId: string) =>
        query<Array<StoredBatch>>(
          (sql) => sql`
      select b.batch_id, b.action, b.dry_run, b.manager, b.created_at, count(i.item)::int as total,
        count(*) filter (where i.status = 'done')::int as done,
          count(*) filter (where i.status = 'failed')::int as failed
      from telegram_batches b left join telegram_batch_items i using (app_id, batch_id)
      where b.app_id = ${appId} and b.batch_id = ${batchId} group by b.app_id, b.batch_id`
        ).pipe(Effect.map(([row]) => row))

      const create = Effect.fnUntraced(function* (appId: string, { action, dryRun, items, hooksAt, links }: NewBatch) {
        const batchId = newId("bat")
        yield* query(
          (sql) =>
            sql`insert into telegram_batches (app_id, batch_id, action, dry_run, hooks_at, manager, link_minutes)
              values (${appId}, ${batchId}, ${action},
                ${dryRun}, ${hooksAt}, ${links?.manager ?? null}, ${links?.minutes ?? null}::int)`
        )
        const rows = items.map((entry, at) => {
          const item = String(at + 1).padStart(6, "0")
          return {
            item,
            channelId: "channelId" in entry ? entry.channelId : newId("bot"),
            slug: "characterSlug" in entry ? entry.characterSlug : null,
            token:
              "token" in entry
                ? Buffer.from(secrets.seal(BATCH_TOKEN, [appId, batchId, item], entry.token)).toString("hex")
                : null,
            wanted: "wanted" in entry ? JSON.stringify(entry.wanted) : null
          }
        })
        // A bot that is not there takes nobody's place.
        yield* query(
          (sql) => sql`
        insert into telegram_batch_items (app_id, batch_id, item, channel_id, character_slug, token, wanted, kind)
        select ${appId}, ${batchId}, i.item, i.channel_id, i.slug, decode(i.token, 'hex'), i.wanted::jsonb,
          case when i.token is not null or exists (select from telegram_bots b
            where b.app_id = ${appId} and b.channel_id = i.channel_id and b.status <> 'detached')
              then ${KIND_OF[action]} else ${"at_once" satisfies BatchKind} end
        from unnest(${rows.map((row) => row.item)}::text[],
          ${rows.map((row) => row.channelId)}::text[],
            ${rows.map((row) => row.slug)}::text[],
              ${rows.map((row) => row.token)}::text[], ${rows.map((row) => row.wanted)}::text[])
          as i(item, channel_id, slug, token, wanted)`
        )
        yield* query((sql) => sql`select graphile_worker.add_job('batches', '{}'::json)`)
        return (yield* get(appId, batchId)) ?? (yield* Effect.die(new Error("a batch just written is gone")))
      }, transaction)

      const toItem = Effect.fnUntraced(function* (
        appId: string,
        { bot_status: status, bot_reason: reason, username, claim_code: sealed, expires_at: expiresAt, ...row }: ItemRow
      ) {
        const code =
          sealed === null ? null : yield* Effect.orDie(secrets.open(CLAIM_CODE, [appId, row.channel_id], sealed))
        return {
          ...row,
          bot: status === null ? null : { status, reason, username },
          link: code === null || expiresAt === null ? null : { claimCode: Redacted.value(code), expiresAt }
        }
      })
      // A request that has run out and is not swept yet is over all the same.
      const items = Effect.fnUntraced(function* (
        appId: string,
        batchId: string,
        { after, limit }: { readonly after: string | null; readonly limit: number }
      ) {
        const found = yield* query<Array<ItemRow>>(
          (sql) => sql`
        select i.item, i.channel_id, i.status, i.error, i.due_at, coalesce(b.character_slug,
          i.character_slug) as character_slug, i.wanted, b.username,
          case when p.expires_at <= now() then 'detached' else b.status end as bot_status, case
            when p.expires_at <= now() then 'link_expired' else b.reason end as bot_reason,
          case when p.expires_at > now() then p.claim_code end as claim_code, p.expires_at
        from telegram_batch_items i
          left join telegram_bots b on b.app_id = i.app_id and b.channel_id = i.channel_id
          left join telegram_provisionings p on p.app_id = i.app_id and p.channel_id = i.channel_id
            and p.matched_at is null and i.wanted is not null
        where i.app_id = ${appId} and i.batch_id =
          ${batchId} and i.item > ${after ?? ""} order by i.item limit ${limit}::int`
        )
        return yield* Effect.forEach(found, (row) => toItem(appId, row))
      })

      return BatchRows.of({
        create,
        get,
        items,
        next: Effect.fnUntraced(function* (kind) {
          const { everyMs, burst } = PACES[kind]
          const [row] = yield* query<Array<BatchItem & { readonly app_id: string | null; readonly wait_ms: number }>>(
            (sql) => sql`
          with found as (
            select app_id, batch_id, item from telegram_batch_items
              where kind = ${kind} and status = 'pending' and due_at <= now() order by item, due_at limit 1
                for update skip locked
          ), wait as (
            select greatest(0, extract(epoch
              from p.taken_until - clock_timestamp()) * 1000 - ${everyMs * (burst - 1)}::int)::int as ms
            from found, (select taken_until from telegram_batch_paces where kind = ${kind} for update) p
          ), placed as (
            update telegram_batch_paces set taken_until = greatest(taken_until,
              clock_timestamp()) + ${everyMs}::int * interval '1 millisecond'
            where kind = ${kind} and exists (select from wait where ms = 0)
          ), taken as (
            update telegram_batch_items i set due_at = now() + ${LEASE}::interval, attempts = i.attempts + 1
            from found f, telegram_batches b, wait w
            where w.ms = 0 and i.app_id = f.app_id and i.batch_id = f.batch_id and i.item = f.item
              and b.app_id = i.app_id and b.batch_id = i.batch_id
            returning i.app_id, i.batch_id, i.item, i.channel_id, i.character_slug, i.wanted, i.attempts, b.action,
              b.dry_run, b.hooks_at, b.link_minutes, b.created_at as requested_at
          )
          select t.*, w.ms as wait_ms from wait w left join taken t on true`
          )
          return row === undefined ? undefined : row.app_id === null ? row.wait_ms : row
        }),
        token: Effect.fnUntraced(function* ({ app_id, batch_id, item }) {
          const [row] = yield* query<Array<{ token: Uint8Array | null }>>(
            (sql) =>
              sql`select token from telegram_batch_items
                where app_id = ${app_id} and batch_id = ${batch_id} and item = ${item}`
          )
          return row === undefined || row.token === null
            ? undefined
            : yield* secrets.open(BATCH_TOKEN, [app_id, batch_id, item], row.token)
        }),
        done: ({ app_id, batch_id, item }) =>
          query(
            (sql) => sql`
        update telegram_batch_items set status = 'done', error = null, token = null
          where app_id = ${app_id} and batch_id = ${batch_id} and item = ${item}`
          ).pipe(Effect.asVoid),
        wait: ({ app_id, batch_id, item, attempts }, seconds) =>
          query(
            (sql) => sql`
        update telegram_batch_items set error = 'rate_limited',
          due_at = now() + ${seconds}::float8 * interval '1 second', attempts = attempts - 1
        where app_id = ${app_id} and batch_id =
          ${batch_id} and item = ${item} and status = 'pending' and attempts = ${attempts}::int`
          ).pipe(Effect.asVoid),
        failed: ({ app_id, batch_id, item, attempts }, error, passing) =>
          query(
            (sql) => sql`
        update telegram_batch_items set error = ${error}, due_at = now() + interval '1 second' * 5 * 2 ^ attempts,
          status = case when ${passing} and attempts < ${MOST_ATTEMPTS}::int then 'pending' else 'failed' end,
          token = case when ${passing} and attempts < ${MOST_ATTEMPTS}::int then token end
        where app_id = ${app_id} and batch_id =
          ${batch_id} and item = ${item} and status = 'pending' and attempts = ${attempts}::int`
          ).pipe(Effect.asVoid)
      })
    })
  )
}
