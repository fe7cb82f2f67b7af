import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Database } from "#src/db/postgres/Database.ts"

/** Runs, batches and imports per statement. A run has up to a few thousand results, and a batch 10,000 items. */
const PER_STEP = 20

/** Deletes old evals, batches and imports that are finished. Each statement deletes whole ones. */
export const makeTrimOthers = ({ query }: Context.Service.Shape<typeof Database>) => {
  const untilNone = <E>(step: Effect.Effect<ReadonlyArray<{ readonly deleted: number }>, E>) =>
    Effect.repeat(step, { until: ([row]) => (row?.deleted ?? 0) < PER_STEP })

  return {
    trimEvals: (age: Duration.Duration) =>
      untilNone(
        query<Array<{ deleted: number }>>(
          (sql) => sql`
      with past as (
        select now() - ${Duration.toSeconds(age)}::bigint * interval '1 second' as at
      ), named as materialized (
        select app_id, baseline_run_id as run_id from eval_runs
          where baseline_run_id is not null and (finished_at is null or finished_at >= (select at from past))
        union
        select app_id, regrade_of from eval_runs
          where regrade_of is not null and (finished_at is null or finished_at >= (select at from past))
      ), old as materialized (
        select r.app_id, r.run_id from eval_runs r where r.finished_at < (select at from past)
          and not exists (select from named n where n.app_id = r.app_id and n.run_id = r.run_id)
        order by r.finished_at limit ${PER_STEP}::int
      ), results as (
        delete from eval_results e using old o where e.app_id = o.app_id and e.run_id = o.run_id
      ), runs as (
        delete from eval_runs r using old o where r.app_id = o.app_id and r.run_id = o.run_id
      )
      select count(*)::int as deleted from old`
        )
      ),
    // A link by which somebody may still create a bot is read through its item.
    trimBatches: (age: Duration.Duration) =>
      untilNone(
        query<Array<{ deleted: number }>>(
          (sql) => sql`
      with old as materialized (
        select b.app_id, b.batch_id from telegram_batches b
        where b.created_at < now() - ${Duration.toSeconds(age)}::bigint * interval '1 second'
          and not exists (select from telegram_batch_items i where i.app_id = b.app_id and i.batch_id = b.batch_id
            and i.status = 'pending')
          and not exists (select from telegram_batch_items i join telegram_provisionings p using (app_id, channel_id)
            where i.app_id = b.app_id and i.batch_id = b.batch_id and p.expires_at > now())
        order by b.created_at limit ${PER_STEP}::int
      ), items as (
        delete from telegram_batch_items i using old o where i.app_id = o.app_id and i.batch_id = o.batch_id
      ), batches as (
        delete from telegram_batches b using old o where b.app_id = o.app_id and b.batch_id = o.batch_id
      )
      select count(*)::int as deleted from old`
        )
      ),
    // The character that an import has last changed keeps it: its export says what the file could not hold.
    trimImports: (age: Duration.Duration) =>
      untilNone(
        query<Array<{ deleted: number }>>(
          (sql) => sql`
      with old as materialized (
        select m.app_id, m.import_id from imports m
        where m.status = 'committed'
            and m.committed_at < now() - ${Duration.toSeconds(age)}::bigint * interval '1 second'
          and not exists (select from characters c where c.app_id = m.app_id and c.slug = m.character_slug
            and c.import_id = m.import_id)
        order by m.committed_at limit ${PER_STEP}::int
      ), gone as (
        delete from imports m using old o where m.app_id = o.app_id and m.import_id = o.import_id
      )
      select count(*)::int as deleted from old`
        )
      )
  }
}
