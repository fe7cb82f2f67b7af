import type { Sql } from "#src/db/postgres/Database.ts"
import { nextFeedPosition } from "#src/db/postgres/feedPosition.ts"
import { isSuspended } from "#src/db/tenancy/isSuspended.ts"

/** A picture that has killed its worker this often is given up. */
export const MAX_ATTEMPTS = 3
/** Longer than any picture takes. */
const LEASE = "4 minutes"

const MINE = (sql: Sql, app: string, image: string, owner: string, attempt: number) => sql`
  app_id = ${app} and image_id = ${image} and owner = ${owner} and attempt = ${attempt}::int and status = 'generating'`

/**
 * Claims the next picture: one that is waiting, or whose worker is no longer registered or has taken too long. Apps
 * with fewer pictures in progress go first, then the longest waiting. Pictures of suspended apps wait.
 */
export const claimImage = (sql: Sql, owner: string, except: ReadonlyArray<string>) => sql`
  with next as (
    select app_id, image_id from images i
    where app_id <> all(${except}::text[]) and status in ('queued', 'generating') and (status = 'queued'
      or leased_until < now() or not exists (select from workers w where w.worker_id = i.owner))
      and not (${isSuspended(sql, sql`i.app_id`)})
    order by (select count(*) from images g where g.app_id = i.app_id and g.status = 'generating'), i.created_at limit 1
    for update of i skip locked
  )
  update images i set status = 'generating',
    owner = ${owner}, attempt = i.attempt + 1,
      leased_until = now() + ${LEASE}::interval, started_at = coalesce(i.started_at, now())
  from next n where i.app_id = n.app_id and i.image_id = n.image_id
  returning i.app_id as "appId", i.image_id as "imageId", i.owner, i.attempt, i.run_ref as "runRef",
    i.character_slug as "characterSlug", i.session_id as "sessionId", i.turn_index as "turnIndex",
    i.turn_ref as "turnRef", i.kind, i.prompt, i.caption, i.size, i.deliver, i.price_micro_usd as "priceMicroUsd"`

export interface ClaimedImage {
  readonly appId: string
  readonly imageId: string
  readonly owner: string
  readonly attempt: number
  readonly runRef: string
  readonly characterSlug: string
  readonly sessionId: string | null
  readonly turnIndex: number | null
  readonly turnRef: string | null
  readonly kind: string
  readonly prompt: string | null
  readonly caption: string | null
  readonly size: string
  readonly deliver: boolean
  readonly priceMicroUsd: number | null
}

/** The end of a picture. Has no effect if another worker has it now. */
export interface ImageEnd {
  readonly status: "ready" | "blocked" | "failed"
  readonly errorCode: string | null
  readonly description: string
  readonly engine: string
  readonly model: string
  readonly picture: {
    readonly objectKey: string
    readonly mediaType: string
    readonly width: number
    readonly height: number
  } | null
}
export const endImage = (sql: Sql, { appId: app, imageId: image, owner, attempt }: ClaimedImage, end: ImageEnd) => sql`
  update images set status = ${end.status},
    error_code = ${end.errorCode},
      visible_description = ${end.description}, engine = ${end.engine}, model = ${end.model},
    object_key = ${end.picture?.objectKey ?? null},
      media_type = ${end.picture?.mediaType ?? null},
        width = ${end.picture?.width ?? null}::int, height = ${end.picture?.height ?? null}::int,
    owner = null, leased_until = null, finished_at = now()
  where ${MINE(sql, app, image, owner, attempt)} returning 1`

/** The reserved amount. */
export const payForImage = (
  sql: Sql,
  { appId: app, imageId: image, owner, attempt }: ClaimedImage,
  priceMicroUsd: number
) => sql`
  update images set price_micro_usd =
    ${priceMicroUsd}::bigint where ${MINE(sql, app, image, owner, attempt)} returning 1`

/** Appends `image.ready` to the log of an active session, which the caller has locked. */
export const announceImage = (
  sql: Sql,
  { appId: app, sessionId: session, imageId: image, runRef, turnRef }: ClaimedImage,
  eventId: string,
  payload: object
) => sql`
  with counted as (
    update session_logs set last_cursor = last_cursor + 1,
      feed_position = ${nextFeedPosition(sql, sql`feed_position`)}
      where app_id = ${app} and session_id = ${session} and status = 'active' returning last_cursor, feed_position
  )
  insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, source_id, payload,
    feed_position)
  select ${app}, ${session}, last_cursor,
    ${eventId}, 'image.ready', 'character',
      ${turnRef ?? runRef}, 'image', ${image}, ${JSON.stringify(payload)}::text::json, feed_position from counted
  returning cursor as last_cursor`
