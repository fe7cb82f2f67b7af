import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { newId } from "#pipeline/domain/Id.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { inTransaction } from "#src/db/postgres/inTransaction.ts"
import { BATCH_TOKEN } from "#src/db/postgres/sealedColumns.ts"
import { Secrets } from "#src/db/postgres/Secrets.ts"
import { type BatchAction, type BatchKind, KIND_OF } from "./batchKinds.ts"
import { getBatch } from "./readBatches.ts"
import type { WantedBot } from "./StoredBatch.ts"

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

export const createBatch = Effect.fnUntraced(function* (
  appId: string,
  { action, dryRun, items, hooksAt, links }: NewBatch
) {
  const [{ query }, secrets] = [yield* Database, yield* Secrets]
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
  // An item for a bot that does not exist takes no slot.
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
  return (yield* getBatch(appId, batchId)) ?? (yield* Effect.die(new Error("a batch just written is gone")))
}, inTransaction)
